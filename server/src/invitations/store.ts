import type { Invitation, InvitationStatus } from '@passport/contract/invitations'
import type { OrgRole } from '@passport/contract/orgs'
import { v7 as uuid } from 'uuid'
import { allOf, type ListOrder, type ListRange, pageWhere } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'
import { hashToken } from '../vault.ts'

/** The table and columns for bulk loads of invitations. */
export const copyTarget = {
  table: 'invitations',
  columns: [
    'id',
    'email',
    'display_name',
    'user_id',
    'is_own_account',
    'org_id',
    'invited_by',
    'token_hash',
    'mail_id',
    'sent_at',
    'expires_at',
    'opened_at',
    'accepted_by',
    'accepted_at',
    'created_at',
    'updated_at',
    'version',
  ],
}

export interface NewInvitation {
  email: string
  displayName: string | null
  userId: string | null
  /** Whether the account was created for this invitation, and is deleted if it is revoked. */
  isOwnAccount: boolean
  roles: string[]
  orgId: string | null
  orgRole: OrgRole
  invitedBy: string
}

/** The link and the email of an invitation each time it is sent. */
export interface Sending {
  token: string
  /** Empty if the link was handed over. */
  mailId: string
  /** Only an email has the link, so that who has it reads the mail of the invited address. */
  isMailed: boolean
  /** The validity of the link, in hours. */
  hours: number
}

/** Adds an invitation; returns its id, or undefined if one to that address is neither accepted nor revoked. */
export async function add(
  sql: Sql,
  invitation: NewInvitation,
  { token, mailId, isMailed, hours }: Sending,
): Promise<string | undefined> {
  const id = uuid()
  const { email, displayName, userId, isOwnAccount, roles, orgId, orgRole, invitedBy } = invitation
  const added = await sql`
    insert into invitations (
      id, email, display_name, user_id, is_own_account, roles, org_id, org_role, invited_by, token_hash, mail_id,
      is_mailed, expires_at
    )
    values (
      ${id}, ${email}, ${displayName}, ${userId}, ${isOwnAccount}, ${roles}, ${orgId}, ${orgRole}, ${invitedBy},
      ${hashToken(token)}, ${mailId}, ${isMailed}, now() + make_interval(hours => ${hours})
    )
    on conflict (lower(email)) where accepted_at is null and revoked_at is null do nothing returning id`
  return added.length > 0 ? id : undefined
}

/** Sets a new token, mail and expiry, and resets the view and the claim of the old link. */
export async function renewLink(
  sql: Sql,
  id: string,
  invitedBy: string,
  { token, mailId, isMailed, hours }: Sending,
): Promise<void> {
  await sql`
    update invitations set token_hash = ${hashToken(token)}, mail_id = ${mailId}, is_mailed = ${isMailed},
      invited_by = ${invitedBy}, sent_at = now(), expires_at = now() + make_interval(hours => ${hours}),
      opened_at = null, claimed_by = null, claimed_at = null, updated_at = now(), version = version + 1
    where id = ${id}`
}

export interface LockedInvitation extends NewInvitation {
  id: string
  mailId: string
  isMailed: boolean
  claimedBy: string | null
  acceptedBy: string | null
  /** When it was sent last. */
  sentAt: string
  isAccepted: boolean
  isRevoked: boolean
  isExpired: boolean
  version: number
}

/** Locks the invitation until the transaction ends. */
export async function lock(sql: Sql, id: string): Promise<LockedInvitation | undefined> {
  const [row] = await sql<LockedInvitation[]>`
    select id, email, display_name, user_id, is_own_account, roles, org_id, org_role, invited_by, mail_id, is_mailed,
      claimed_by, accepted_by, sent_at, accepted_at is not null as is_accepted, revoked_at is not null as is_revoked,
      expires_at <= now() as is_expired, version::integer
    from invitations where id = ${id} for update`
  return row
}

/** Like `lock`, by the token from the email. */
export async function lockByToken(sql: Sql, token: string): Promise<LockedInvitation | undefined> {
  const [row] = await sql<{ id: string }[]>`select id from invitations where token_hash = ${hashToken(token)}`
  const locked = row && (await lock(sql, row.id))
  // The invitation may have been resent between the two statements.
  const [current] = await sql`select from invitations where token_hash = ${hashToken(token)}`
  return current ? locked : undefined
}

/** Finds an open invitation by the token that only an email had, with its prepared account. */
export async function findMailed(
  sql: Sql,
  token: string,
): Promise<{ id: string; email: string; userId: string } | undefined> {
  const [row] = await sql<{ id: string; email: string; userId: string }[]>`
    select id, email, user_id from invitations
    where token_hash = ${hashToken(token)} and is_mailed and user_id is not null and accepted_at is null
      and revoked_at is null and expires_at > now()`
  return row
}

export async function markOpened(sql: Sql, token: string): Promise<void> {
  await sql`
    update invitations set opened_at = now(), updated_at = now(), version = version + 1
    where token_hash = ${hashToken(token)} and opened_at is null and accepted_at is null and revoked_at is null
      and expires_at > now()`
}

export async function markClaimed(sql: Sql, id: string, userId: string): Promise<void> {
  await sql`
    update invitations set claimed_by = ${userId}, claimed_at = now(), updated_at = now(), version = version + 1
    where id = ${id}`
}

export async function markAccepted(sql: Sql, id: string, userId: string, leftOut: string[]): Promise<void> {
  await sql`
    update invitations set accepted_by = ${userId}, accepted_at = now(), left_out = ${leftOut}, updated_at = now(),
      version = version + 1
    where id = ${id}`
}

export async function markRevoked(sql: Sql, id: string): Promise<void> {
  await sql`
    update invitations set revoked_at = now(), updated_at = now(), version = version + 1 where id = ${id}`
}

/** Revokes the open invitations of some inviters; returns them. */
export async function revokeAllBy(
  sql: Sql,
  userIds: string[],
): Promise<{ id: string; email: string; createdBy: string }[]> {
  return sql`
    update invitations set revoked_at = now(), updated_at = now(), version = version + 1
    where invited_by = any(${userIds}) and accepted_at is null and revoked_at is null
    returning id, email, invited_by as created_by`
}

export interface InvitationRow extends Omit<Invitation, 'displayname'> {
  displayName: string | null
}

/** Filters invitations by status, and by a substring of the email or the name. */
interface InvitationFilter {
  status: InvitationStatus | 'open' | null
  word: string
}

const newestFirst: ListOrder = { key: 'created_at', isDescending: true }

/** The columns by which invitations are sorted; an index has each of them, with the id. */
export const sortColumns = { name: 'sort_name', sent: 'sent_at', expires: 'expires_at' }

const statusesOf = (status: InvitationStatus | 'open'): InvitationStatus[] =>
  status === 'open' ? ['sent', 'opened', 'awaiting-confirmation'] : [status]

/** Builds the conditions of a filter. */
function matchesFilter(sql: Sql, { status, word }: InvitationFilter) {
  const hasStatus = status === null ? undefined : sql`status = any(${statusesOf(status)})`
  const hasWord = sql`position(plain_text(${word}) in plain_text(email || ' ' || coalesce(display_name, ''))) > 0`
  return allOf(sql, hasStatus, word === '' ? undefined : hasWord)
}

/** Lists invitations, newest first by default. */
export async function list(
  sql: Sql,
  filter: InvitationFilter,
  range: ListRange,
  order = newestFirst,
): Promise<(InvitationRow & { sortName: string })[]> {
  return sql<(InvitationRow & { sortName: string })[]>`
    select id, email, display_name, status, roles, org, inviter, user_id, claimant, accepted_by, left_out, mail,
      created_at, sent_at, opened_at, accepted_at, expires_at, sort_name, version::integer
    from listed_invitations ${pageWhere(sql, order, range, matchesFilter(sql, filter))}`
}

/** Counts invitations, exactly up to `countTo` and estimated beyond. */
export async function count(sql: Sql, filter: InvitationFilter, countTo: number): Promise<number> {
  const { status, word } = filter
  const [row] = await sql<{ count: number }[]>`
    select count_or_estimate(count(*), ${countTo},
      'select from listed_invitations where ($1[1] is null or status = any(string_to_array($1[1], '','')))
       and ($1[2] = '''' or position(plain_text($1[2]) in plain_text(email || '' '' || coalesce(display_name, ''''))) > 0)',
      array[${status && statusesOf(status).join(',')}::text, ${word}]) as count
    from (
      select from listed_invitations where ${matchesFilter(sql, filter)} limit ${countTo + 1}) part`
  return row?.count ?? 0
}

export async function find(sql: Sql, id: string): Promise<InvitationRow | undefined> {
  const [row] = await sql<InvitationRow[]>`
    select id, email, display_name, status, roles, org, inviter, user_id, claimant, accepted_by, left_out, mail,
      created_at, sent_at, opened_at, accepted_at, expires_at, version::integer
    from listed_invitations where id = ${id}`
  return row
}

/** Finds an invitation by the token from the email. */
export async function findByToken(sql: Sql, token: string): Promise<InvitationRow | undefined> {
  const [row] = await sql<{ id: string }[]>`
    select id from listed_invitations where token_hash = ${hashToken(token)}`
  return row && find(sql, row.id)
}
