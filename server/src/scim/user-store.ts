import { allOf, type Fragment, type ListRange, pageWhere } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'
import type { FormerMemberships } from '../users/store.ts'
import type { Filter } from './filter.ts'
import { toUserCondition } from './filter-store.ts'
import type { Resource } from './values.ts'

/** A user from the view of one organisation, provisioned or not. */
export interface PersonRow {
  id: string
  /** As the client sent it. */
  externalId: string | null
  /** The id of the user at the tenant, in lower case. */
  objectId: string | null
  /** Null for a user who is not provisioned; the members below are null or empty then. */
  governs: 'account' | 'membership' | null
  userName: string | null
  attributes: Resource | null
  endedAt: string | null
  releasedAt: string | null
  displayName: string | null
  username: string | null
  email: string | null
  disabledAt: string | null
  disabledByScim: boolean
  deletedAt: string | null
  leftBehind: FormerMemberships | null
  createdAt: string
  /** The last change that the clients of the organisation may see. */
  updatedAt: string
  hasOtherLogins: boolean
  hasOtherOrgs: boolean
  hasGlobalRoles: boolean
  groups: { value: string; display: string }[]
}

/** Finds a user, deleted or not, with what the rules depend on. */
export async function findPerson(sql: Sql, orgId: string, id: string): Promise<PersonRow | undefined> {
  const [person] = await listPeople(sql, orgId, [id])
  return person
}

/** Lists users like `findPerson`, in no particular order. */
export async function listPeople(sql: Sql, orgId: string, ids: string[]): Promise<PersonRow[]> {
  return sql<PersonRow[]>`
    select id, external_id, object_id, governs, user_name, attributes, ended_at, released_at, display_name, username,
      email, disabled_at, disabled_by_scim, deleted_at, left_behind, created_at, updated_at, has_other_logins,
      has_other_orgs, has_global_roles, groups
    from scim_people where org_id = ${orgId} and id = any(${ids})`
}

/** The id of a user at the client, and at the tenant if it is an object id. */
export interface Identity {
  externalId: string | null
  objectId: string | null
}

/** Finds the user with an identity, by an earlier provisioning or by their login at the tenant. */
export async function findByIdentity(
  sql: Sql,
  orgId: string,
  { externalId, objectId }: Identity,
): Promise<string | undefined> {
  if (externalId === null) return undefined
  const [found] = await sql<{ id: string }[]>`
    select id from (
      select user_id as id, 1 as rank from scim_users where org_id = ${orgId} and object_id = ${objectId}::uuid
      union all
      select id, 2 from scim_identities where org_id = ${orgId} and subject = ${objectId}
      union all
      select user_id, 3 from scim_users where org_id = ${orgId} and external_id = ${externalId}
    ) found order by rank limit 1`
  return found?.id
}

/** Finds the user whom the organisation has provisioned with a user name, other than one. */
export async function findByUserName(
  sql: Sql,
  orgId: string,
  userName: string,
  except = '',
): Promise<string | undefined> {
  const [found] = await sql<{ id: string }[]>`
    select id from scim_listed_users
    where org_id = ${orgId} and lower(user_name) = lower(${userName}) and id <> ${except} limit 1`
  return found?.id
}

/**
 * Lists the accounts that clients of an organisation govern and that have an email address, except one. Inactive are those
 * that clients have deactivated, and that are not enabled again.
 */
export async function listGovernedHolders(
  sql: Sql,
  orgId: string,
  email: string,
  except: string,
): Promise<{ id: string; isActive: boolean }[]> {
  return sql<{ id: string; isActive: boolean }[]>`
    select id, active or attributes ->> 'active' is distinct from 'false' as is_active from scim_listed_users
    where org_id = ${orgId} and lower(email) = lower(${email}) and id <> ${except} and governs = 'account'`
}

export interface SavedUser extends Identity {
  userName: string
  governs: 'account' | 'membership'
  attributes: Resource
}

/** Records a provisioned user, who is not released. */
export async function save(sql: Sql, orgId: string, userId: string, user: SavedUser): Promise<void> {
  const { externalId, objectId, userName, governs, attributes } = user
  await sql`
    insert into scim_users (org_id, user_id, external_id, object_id, user_name, governs, attributes)
    values (
      ${orgId}, ${userId}, ${externalId}, ${objectId}::uuid, ${userName}, ${governs}, ${sql.json(attributes as never)}
    )
    on conflict (user_id, org_id) do update set
      external_id = excluded.external_id, object_id = excluded.object_id, user_name = excluded.user_name,
      governs = excluded.governs, attributes = excluded.attributes, released_at = null, updated_at = now()`
}

/** Records that SCIM disabled the account, as of now. */
export async function recordDisabled(sql: Sql, orgId: string, userId: string): Promise<void> {
  await sql`
    update scim_users s set disabled_at = p.disabled_at from scim_people p
    where s.org_id = ${orgId} and s.user_id = ${userId} and p.org_id = s.org_id and p.id = s.user_id`
}

/** Records that an administrator disabled users, and no longer SCIM; returns those whom SCIM had disabled. */
export async function takeOverDisabled(sql: Sql, userIds: string[]): Promise<Set<string>> {
  const rows = await sql<{ userId: string }[]>`
    update scim_users s set disabled_at = null from scim_people p
    where s.user_id = any(${userIds}) and p.org_id = s.org_id and p.id = s.user_id and p.disabled_by_scim
    returning s.user_id`
  return new Set(rows.map(({ userId }) => userId))
}

/** Records that the membership has ended, or exists again. */
export async function setEnded(sql: Sql, orgId: string, userId: string, hasEnded: boolean): Promise<void> {
  await sql`
    update scim_users set ended_at = case when ${hasEnded} then now() end, updated_at = now()
    where org_id = ${orgId} and user_id = ${userId}`
}

/** Records that a client deleted a user. */
export async function release(sql: Sql, orgId: string, userId: string): Promise<void> {
  await sql`
    update scim_users set released_at = now(), updated_at = now()
    where org_id = ${orgId} and user_id = ${userId}`
}

/** Records that clients of an organisation no longer know a user, whose identity is free for another one. */
export async function forget(sql: Sql, orgId: string, userId: string): Promise<void> {
  await sql`
    update scim_users set external_id = null, object_id = null, released_at = coalesce(released_at, now()), updated_at = now()
    where org_id = ${orgId} and user_id = ${userId}`
}

/** Finds the user whom clients of an organisation provisioned with an object id, now or before. */
export async function findProvisioned(sql: Sql, orgId: string, objectId: string): Promise<string | undefined> {
  const [record] = await sql<{ userId: string }[]>`
    select user_id from scim_users where org_id = ${orgId} and object_id = ${objectId}::uuid`
  return record?.userId
}

/** Returns those of the ids that are users whom the organisation provisions. */
export async function filterListed(sql: Sql, orgId: string, ids: string[]): Promise<Set<string>> {
  const rows =
    ids.length <= maxComparedIds
      ? await sql<{ id: string }[]>`
          select id from scim_listed_users where org_id = ${orgId} and id = any(${ids})`
      : await sql<{ id: string }[]>`
          select unnest(${ids}::text[]) as id intersect select id from scim_listed_users where org_id = ${orgId}`
  return new Set(rows.map(({ id }) => id))
}

/**
 * The most ids with which each user of an organisation is compared, as a plan does that PostgreSQL made when there were few
 * users, and keeps. With 10,000 ids it takes minutes; an intersection sorts or hashes both sides under any plan.
 */
const maxComparedIds = 100

/** The columns by which clients sort users. */
export const userOrders = { created: 'created_at', username: 'sort_name', displayname: 'sort_display_name' } as const

export interface ListOptions extends ListRange {
  filter: Filter | undefined
  key: string
  isDescending: boolean
}

/** Lists the ids of provisioned users with the sort key of each. */
export async function list(
  sql: Sql,
  orgId: string,
  { filter, key, isDescending, ...range }: ListOptions,
): Promise<{ id: string; key: string }[]> {
  return sql<{ id: string; key: string }[]>`
    select id, ${toText(sql, key)} as key from scim_listed_users
    ${pageWhere(sql, { key, isDescending }, range, ...conditionsOf(sql, orgId, filter))}`
}

/** Counts the provisioned users that match a filter. */
export async function count(sql: Sql, orgId: string, filter: Filter | undefined): Promise<number> {
  const [row] = await sql<[{ found: number }]>`
    select count(*)::integer as found from scim_listed_users where ${allOf(sql, ...conditionsOf(sql, orgId, filter))}`
  return row.found
}

const conditionsOf = (sql: Sql, orgId: string, filter: Filter | undefined): Fragment[] => [
  sql`org_id = ${orgId}`,
  ...(filter ? [toUserCondition(sql, filter)] : []),
]

/** Reads a sort key as text that compares like the column: instants in the format of the API. */
const toText = (sql: Sql, key: string): Fragment =>
  key === 'created_at' ? sql`format_instant(created_at)` : sql`${sql(key)}`
