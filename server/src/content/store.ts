import type { Content, ContentFields, ContentSlug, ContentSummary, ContentVersion } from '@passport/contract/content'
import type { Sql } from '../database/sql.ts'

/** A text is identified by its slot and its language. */
export interface ContentKey {
  slug: ContentSlug
  locale: string
}

export interface ContentRow extends Omit<Content, 'mediaType'> {
  draftVersion: number | null
  deletedAt: string | null
}

/** A text as readers see it. */
export interface PublishedContent extends ContentKey, ContentFields {
  version: number
}

export async function list(sql: Sql): Promise<ContentSummary[]> {
  return sql<ContentSummary[]>`
    select slug, locale, title, version, published_version, status, created_at, updated_at, updated_by, revision
    from content_rows where deleted_at is null order by slug, locale collate "C"`
}

/** Returns a text, also a deleted one. */
export async function find(sql: Sql, { slug, locale }: ContentKey): Promise<ContentRow | undefined> {
  const [row] = await sql<ContentRow[]>`select * from content_rows where slug = ${slug} and locale = ${locale}`
  return row
}

/** Locks a text until the transaction ends and returns it, also a deleted one. */
export async function lock(sql: Sql, key: ContentKey): Promise<ContentRow | undefined> {
  await sql`select from contents where slug = ${key.slug} and locale = ${key.locale} for update`
  return find(sql, key)
}

/** Adds an empty text without versions unless it exists, and locks it. */
export async function add(sql: Sql, { slug, locale }: ContentKey): Promise<void> {
  await sql`insert into contents (slug, locale) values (${slug}, ${locale}) on conflict do nothing`
}

/** Counts the languages of a slot, also deleted ones. */
export async function countLocales(sql: Sql, slug: ContentSlug): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from contents where slug = ${slug}`
  return row?.count ?? 0
}

/** Saves the draft, as a further version if there is none. Takes a text out of the trash, where readers do not see it. */
export async function saveDraft(sql: Sql, { slug, locale }: ContentKey, fields: ContentFields, actor: string | null) {
  const { title, body } = fields
  await sql`
    with next as (
      select coalesce(c.draft_version, coalesce(max(v.version), 0) + 1) as version
      from contents c left join content_versions v using (slug, locale)
      where slug = ${slug} and locale = ${locale} group by c.draft_version),
    saved as (
      insert into content_versions (slug, locale, version, title, body, saved_by)
      select ${slug}, ${locale}, version, ${title}, ${body}, ${actor} from next
      on conflict (slug, locale, version) do update
      set title = excluded.title, body = excluded.body, saved_at = now(), saved_by = excluded.saved_by)
    update contents set draft_version = (select version from next), revision = revision + 1, updated_at = now(),
      updated_by = ${actor}, published_version = case when deleted_at is null then published_version end, deleted_at = null
    where slug = ${slug} and locale = ${locale}`
}

export async function discardDraft(sql: Sql, { slug, locale }: ContentKey, actor: string | null): Promise<void> {
  await sql`
    delete from content_versions v using contents c
    where c.slug = ${slug} and c.locale = ${locale} and v.slug = c.slug and v.locale = c.locale and v.version = c.draft_version`
  await sql`
    update contents set draft_version = null, revision = revision + 1, updated_at = now(), updated_by = ${actor}
    where slug = ${slug} and locale = ${locale}`
}

/** Publishes the draft, and deletes the oldest versions above the limit. */
export async function publishDraft(
  sql: Sql,
  { slug, locale }: ContentKey,
  { actor, keep }: { actor: string | null; keep: number },
): Promise<void> {
  await sql`
    update content_versions v set published_at = now() from contents c
    where c.slug = ${slug} and c.locale = ${locale} and v.slug = c.slug and v.locale = c.locale and v.version = c.draft_version`
  await sql`
    update contents set published_version = draft_version, draft_version = null, revision = revision + 1, updated_at = now(),
      updated_by = ${actor}
    where slug = ${slug} and locale = ${locale}`
  await sql`
    delete from content_versions where slug = ${slug} and locale = ${locale} and version in (
      select version from content_versions where slug = ${slug} and locale = ${locale} order by version desc offset ${keep})`
}

/** Lists the versions of a text, newest first. */
export async function listVersions(sql: Sql, { slug, locale }: ContentKey): Promise<ContentVersion[]> {
  return sql<ContentVersion[]>`
    select v.version, v.title, v.body, v.saved_at, actor_as_json(v.saved_by) as saved_by, v.published_at,
      v.version = c.published_version is true as is_published
    from content_versions v join contents c using (slug, locale)
    where slug = ${slug} and locale = ${locale} order by v.version desc`
}

export async function findVersion(sql: Sql, { slug, locale }: ContentKey, version: number) {
  const [row] = await sql<ContentFields[]>`
    select title, body from content_versions
    where slug = ${slug} and locale = ${locale} and version = ${version}`
  return row
}

/** Moves a text to the trash. */
export async function remove(sql: Sql, { slug, locale }: ContentKey): Promise<void> {
  await sql`
    update contents set deleted_at = now(), revision = revision + 1 where slug = ${slug} and locale = ${locale}`
}

export async function restore(sql: Sql, { slug, locale }: ContentKey, actor: string | null): Promise<void> {
  await sql`
    update contents set deleted_at = null, revision = revision + 1, updated_at = now(), updated_by = ${actor}
    where slug = ${slug} and locale = ${locale}`
}

/** Purges at most `limit` texts that were deleted more than `olderThanDays` days ago; returns their ids. */
export async function purgeDeleted(sql: Sql, olderThanDays: number, limit: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    delete from contents where (slug, locale) in (
      select slug, locale from contents where deleted_at < now() - make_interval(days => ${olderThanDays})
      order by deleted_at limit ${limit} for update skip locked)
    returning slug || '/' || locale as id`
  return rows.map(({ id }) => id)
}

/** Lists the published texts without their bodies. */
export async function listPublished(sql: Sql): Promise<ContentKey[]> {
  return sql<ContentKey[]>`select slug, locale from published_contents`
}

export async function findPublished(sql: Sql, { slug, locale }: ContentKey): Promise<PublishedContent | undefined> {
  const [row] = await sql<PublishedContent[]>`
    select slug, locale, version, title, body from published_contents where slug = ${slug} and locale = ${locale}`
  return row
}

/** Lists the published texts with their bodies. */
export async function listPublishedTexts(sql: Sql): Promise<PublishedContent[]> {
  return sql<PublishedContent[]>`select slug, locale, version, title, body from published_contents`
}
