import { type ContentFields, maxContentLocales, maxContentVersions } from '@passport/contract/content'
import { type ChangeContext, toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { etagOf, type Preconditions } from '../http/conditional.ts'
import { recheckCaller } from '../roles/recheck-caller.ts'
import * as problems from './problems.ts'
import type { ContentKey, ContentRow } from './store.ts'
import * as store from './store.ts'

interface VersionedContext extends ChangeContext {
  preconditions: Preconditions
}

/**
 * Saves the draft of a text, or discards it if it equals the published version. Creates a missing text; a deleted one
 * loses its published version. Throws 409 `too-many-locales`, and 412.
 */
export function saveDraft(sql: Sql, key: ContentKey, fields: ContentFields, context: VersionedContext): Promise<void> {
  return transaction(sql, async (sql) => {
    await store.add(sql, key)
    const row = await store.lock(sql, key)
    await recheckCaller(sql, context.caller)
    const current = row?.deletedAt === null ? row : undefined
    context.preconditions.check(current && validatorsOf(current))
    if (!row && (await store.countLocales(sql, key.slug)) > maxContentLocales) throw problems.tooManyLocales()
    if (current) return writeDraft(sql, current, fields, context)
    await store.saveDraft(sql, key, fields, context.caller.id)
    await record(sql, 'content.created', key, context, { after: toAudited(fields) })
  })
}

/** Publishes the draft with this version number. Throws 404, 409 `content-not-draft`, and 412. */
export function publish(sql: Sql, key: ContentKey, version: number, context: VersionedContext): Promise<void> {
  return transaction(sql, async (sql) => {
    const row = await lock(sql, key, context)
    if (row.draftVersion !== version) throw problems.notTheDraft()
    const former = row.publishedVersion === null ? undefined : await store.findVersion(sql, key, row.publishedVersion)
    await store.publishDraft(sql, key, { actor: context.caller.id, keep: maxContentVersions })
    await record(sql, 'content.published', key, context, {
      ...(former && { before: toAudited(former) }),
      after: toAudited(row),
    })
  })
}

/**
 * Makes an earlier version the draft; the published version discards the draft instead. Throws 404, also
 * `content-version-not-found`, and 412.
 */
export function revert(sql: Sql, key: ContentKey, version: number, context: VersionedContext): Promise<void> {
  return transaction(sql, async (sql) => {
    const row = await lock(sql, key, context)
    const fields = await store.findVersion(sql, key, version)
    if (!fields) throw problems.versionNotFound()
    await writeDraft(sql, row, fields, context, 'content.reverted')
  })
}

/** Moves a text in one language to the trash. Throws 404 and 412. */
export function remove(sql: Sql, key: ContentKey, context: VersionedContext): Promise<void> {
  return transaction(sql, async (sql) => {
    const row = await lock(sql, key, context)
    await store.remove(sql, key)
    await record(sql, 'content.deleted', key, context, { before: toAudited(row) })
  })
}

/** Undoes `remove` within 30 days. Throws 404 and 412. */
export function restore(sql: Sql, key: ContentKey, context: VersionedContext): Promise<void> {
  return transaction(sql, async (sql) => {
    const row = await store.lock(sql, key)
    await recheckCaller(sql, context.caller)
    if (row?.deletedAt == null) throw problems.contentNotFound()
    context.preconditions.check(validatorsOf(row))
    await store.restore(sql, key, context.caller.id)
    await record(sql, 'content.restored', key, context, { after: toAudited(row) })
  })
}

/** Saves and publishes a text in one transaction, whether or not it has a draft. */
export function replacePublished(
  sql: Sql,
  key: ContentKey,
  fields: ContentFields,
  context: VersionedContext,
): Promise<void> {
  return transaction(sql, async (sql) => {
    await saveDraft(sql, key, fields, context)
    const { draftVersion } = (await store.find(sql, key)) ?? {}
    if (draftVersion != null) await publish(sql, key, draftVersion, context)
  })
}

async function writeDraft(
  sql: Sql,
  row: ContentRow,
  fields: ContentFields,
  context: ChangeContext,
  action: 'content.changed' | 'content.reverted' = 'content.changed',
): Promise<void> {
  if (isSame(row, fields)) return
  const { publishedVersion } = row
  const published = publishedVersion === null ? undefined : await store.findVersion(sql, row, publishedVersion)
  const change = { before: toAudited(row), after: toAudited(fields) }
  if (published && isSame(published, fields)) {
    await store.discardDraft(sql, row, context.caller.id)
    return record(sql, 'content.draft-discarded', row, context, change)
  }
  await store.saveDraft(sql, row, fields, context.caller.id)
  await record(sql, action, row, context, change)
}

async function lock(sql: Sql, key: ContentKey, { caller, preconditions }: VersionedContext): Promise<ContentRow> {
  const row = await store.lock(sql, key)
  await recheckCaller(sql, caller)
  if (!row || row.deletedAt !== null) throw problems.contentNotFound()
  preconditions.check(validatorsOf(row))
  return row
}

/** Returns the ETag of a text for administrators. */
export const validatorsOf = ({ revision }: { revision: number }) => ({ etag: String(revision) })

const isSame = (a: ContentFields, b: ContentFields) => a.title === b.title && a.body === b.body

const maxRecordedLength = 1024

/** Returns the fields for the audit trail. A long text is replaced by its length and hash; the history has it whole. */
const toAudited = ({ title, body }: ContentFields) =>
  body.length <= maxRecordedLength ? { title, body } : { title, bytes: Buffer.byteLength(body), etag: etagOf(body) }

type ContentAction =
  `content.${'created' | 'changed' | 'draft-discarded' | 'published' | 'reverted' | 'deleted' | 'restored'}`

const record = (
  sql: Sql,
  action: ContentAction,
  { slug, locale }: ContentKey,
  context: ChangeContext,
  change: Pick<audit.AuditEvent, 'before' | 'after'>,
) =>
  audit.record(sql, {
    action,
    ...toActorFields(context),
    target: { kind: 'content', id: `${slug}/${locale}` },
    ...change,
  })
