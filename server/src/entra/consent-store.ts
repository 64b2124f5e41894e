import type { Sql } from '../database/sql.ts'

/** A consent link. A used or replaced one no longer works. */
export interface ConsentLink {
  orgId: string
  isExpired: boolean
  usedAt: string | null
  replacedAt: string | null
}

interface NewConsentLink {
  orgId: string
  stateHash: string
  minutes: number
  /** The set-up link whose browser created it. */
  setupLinkId: string | null
}

/** Adds a link that replaces the former one of the organisation; returns its expiry. */
export async function addLink(sql: Sql, { orgId, stateHash, minutes, setupLinkId }: NewConsentLink): Promise<string> {
  await sql`
    update entra_consent_links set replaced_at = now()
    where org_id = ${orgId} and used_at is null and replaced_at is null`
  const [link] = await sql<{ expiresAt: string }[]>`
    insert into entra_consent_links (state_hash, org_id, setup_link_id, expires_at)
    values (${stateHash}, ${orgId}, ${setupLinkId}, now() + make_interval(mins => ${minutes}))
    returning expires_at`
  return link?.expiresAt ?? ''
}

/** Ends the link that the browser of a set-up link has created, unless it was used. */
export async function endLinksOf(sql: Sql, setupLinkId: string): Promise<void> {
  await sql`
    update entra_consent_links set replaced_at = now()
    where setup_link_id = ${setupLinkId} and used_at is null and replaced_at is null`
}

/** Finds a link by the hash of its state, and locks it until the transaction ends. */
export async function lockLink(sql: Sql, stateHash: string): Promise<ConsentLink | undefined> {
  const [link] = await sql<ConsentLink[]>`
    select org_id, expires_at <= now() as is_expired, used_at, replaced_at from entra_consent_links
    where state_hash = ${stateHash} for update`
  return link
}

export async function useLink(sql: Sql, stateHash: string): Promise<void> {
  await sql`update entra_consent_links set used_at = now() where state_hash = ${stateHash}`
}

/** Links are kept this long after their expiry, so that a late response gets a clear error. */
const keptDays = 7

/** Deletes at most `limit` old links, except the last one of an organisation, whose expiry is shown; returns how many. */
export async function sweepLinks(sql: Sql, limit: number): Promise<number> {
  const removed = await sql`
    delete from entra_consent_links where state_hash in (
      select state_hash from entra_consent_links
      where expires_at <= now() - make_interval(days => ${keptDays}) and (used_at is not null or replaced_at is not null)
      limit ${limit})`
  return removed.count
}
