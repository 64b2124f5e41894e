import type { BrandingFields, OrgBrandingFields } from '@passport/contract/branding'
import type { Sql } from '../database/sql.ts'

interface Versioned {
  revision: number
  updatedAt: string | null
  updatedBy: { id: string; name: string } | null
}

export type BrandingRow = BrandingFields & Versioned
export type OrgBrandingRow = OrgBrandingFields & Versioned

type FileType = 'image/png' | 'text/css'

/** A stored file without its content; `size` is in bytes. */
interface StoredFileRow {
  hash: string
  type: FileType
  size: number
  width: number
  height: number
}

/** Reads the branding of the installation. */
export async function find(sql: Sql): Promise<BrandingRow> {
  const [row] = await sql<FlatRow[]>`
    select name, logo, favicon, accent_light, accent_dark, support_url, revision, updated_at,
      actor_as_json(updated_by) as updated_by
    from branding`
  return toRow(row)
}

/** Locks the branding of the installation until the transaction ends and returns it. */
export async function lock(sql: Sql): Promise<BrandingRow> {
  await sql`select from branding for update`
  return find(sql)
}

type FlatRow = Omit<BrandingRow, 'accent'> & { accentLight: string | null; accentDark: string | null }

function toRow(row: FlatRow | undefined): BrandingRow {
  if (!row) throw new Error('the row of the branding is missing')
  const { accentLight: light, accentDark: dark, ...others } = row
  return { ...others, accent: light !== null && dark !== null ? { light, dark } : null }
}

/** Saves the branding of the installation with the hash of its style sheet. */
export async function save(
  sql: Sql,
  { name, logo, favicon, accent, supportUrl }: BrandingFields,
  { stylesheet, actor }: { stylesheet: string | null; actor: string | null },
): Promise<void> {
  await sql`
    update branding set name = ${name}, logo = ${logo}, favicon = ${favicon}, accent_light = ${accent?.light ?? null},
      accent_dark = ${accent?.dark ?? null}, stylesheet = ${stylesheet}, support_url = ${supportUrl},
      revision = revision + 1, updated_at = now(), updated_by = ${actor}`
}

/** The branding of the installation as pages show it. */
export interface ShownBranding {
  name: string | null
  supportUrl: string | null
  accentLight: string | null
  accentDark: string | null
  favicon: string | null
  stylesheet: string | null
  logo: string | null
  logoWidth: number | null
  logoHeight: number | null
}

export async function findShown(sql: Sql): Promise<ShownBranding | undefined> {
  const [row] = await sql<ShownBranding[]>`
    select b.name, b.support_url, b.accent_light, b.accent_dark, b.favicon, b.stylesheet, b.logo, f.width as logo_width, f.height as logo_height
    from branding b left join branding_files f on f.hash = b.logo`
  return row
}

/** Reads the branding of an organisation; undefined before its first change. */
export async function findOfOrg(sql: Sql, orgId: string): Promise<OrgBrandingRow | undefined> {
  const [row] = await sql<OrgBrandingRow[]>`
    select name, logo, revision, updated_at, actor_as_json(updated_by) as updated_by
    from org_brandings where org_id = ${orgId}`
  return row
}

export async function saveOfOrg(
  sql: Sql,
  orgId: string,
  { name, logo }: OrgBrandingFields,
  actor: string | null,
): Promise<void> {
  await sql`
    insert into org_brandings (org_id, name, logo, updated_by) values (${orgId}, ${name}, ${logo}, ${actor})
    on conflict (org_id) do update set name = excluded.name, logo = excluded.logo,
      revision = org_brandings.revision + 1, updated_at = now(), updated_by = excluded.updated_by`
}

/** The branding of an organisation as pages show it. */
export type ShownOrgBranding = Pick<ShownBranding, 'name' | 'logo' | 'logoWidth' | 'logoHeight'>

export async function findShownOfOrg(sql: Sql, orgId: string): Promise<ShownOrgBranding | undefined> {
  const [row] = await sql<ShownOrgBranding[]>`
    select b.name, b.logo, f.width as logo_width, f.height as logo_height
    from org_brandings b left join branding_files f on f.hash = b.logo where b.org_id = ${orgId}`
  return row
}

/** Stores a file once, and keeps it for a branding that is about to refer to it. */
export async function saveFile(
  sql: Sql,
  {
    hash,
    type,
    content,
    small,
    width,
    height,
  }: Omit<StoredFileRow, 'size'> & { content: Buffer; small: Buffer | null },
): Promise<void> {
  await sql`
    insert into branding_files (hash, type, content, small, width, height)
    values (${hash}, ${type}, ${content}, ${small}, ${width}, ${height})
    on conflict (hash) do update set used_at = now()`
}

/** Keeps a stored picture for a branding that is about to refer to it; returns whether it exists. */
export async function keepPicture(sql: Sql, hash: string): Promise<boolean> {
  const kept = await sql`update branding_files set used_at = now() where hash = ${hash} and type = 'image/png'`
  return kept.count > 0
}

export async function findFile(sql: Sql, hash: string, type: FileType): Promise<StoredFileRow | undefined> {
  const [row] = await sql<StoredFileRow[]>`
    select hash, type, octet_length(content) as size, width, height
    from branding_files where hash = ${hash} and type = ${type}`
  return row
}

/** Reads a stored file. Throws if it was deleted at the same time. */
export async function readFile(sql: Sql, hash: string): Promise<Buffer<ArrayBuffer>> {
  const [row] = await sql<{ content: Buffer<ArrayBuffer> }[]>`select content from branding_files where hash = ${hash}`
  if (!row) throw new Error(`the file ${hash} was deleted while it was sent`)
  return row.content
}

/** A logo for emails, which is small enough to be a part of each. */
export interface MailLogo {
  content: Buffer
  width: number
  height: number
}

/** Reads the small variant of a picture. */
export async function findMailLogo(sql: Sql, hash: string): Promise<MailLogo | undefined> {
  const [row] = await sql<MailLogo[]>`
    select small as content, width, height from branding_files where hash = ${hash} and small is not null`
  return row
}

/** Deletes at most `limit` files that no branding refers to; returns how many. */
export async function sweepFiles(sql: Sql, limit: number): Promise<number> {
  const removed = await sql`
    delete from branding_files where hash in (
      select hash from branding_files f
      where used_at < now() - interval '1 hour'
        and not exists (select from branding where logo = f.hash or favicon = f.hash or stylesheet = f.hash)
        and not exists (select from org_brandings where logo = f.hash)
      limit ${limit})
    -- Checked again if a transaction that keeps the file has just ended.
    and used_at < now() - interval '1 hour'`
  return removed.count
}
