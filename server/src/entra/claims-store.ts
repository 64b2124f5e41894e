import type { Sql } from '../database/sql.ts'

/** What the ID token of a user says that mappings refer to. */
export interface MappedClaims {
  /** The object ids of groups. */
  groups: string[]
  /** The values of app roles. */
  roles: string[]
}

/** Records the groups and app roles of a login, which replace those of its last sign-in. */
export async function save(
  sql: Sql,
  { loginId, orgId }: { loginId: string; orgId: string },
  { groups, roles }: MappedClaims,
): Promise<void> {
  await sql`
    insert into entra_claims (login_id, org_id, groups, roles) values (${loginId}, ${orgId}, ${groups}::uuid[], ${roles})
    on conflict (login_id) do update set
      org_id = excluded.org_id, groups = excluded.groups, roles = excluded.roles, evaluated_at = now()`
}

/** Removes a group from the claims of users of an organisation, who left it; returns those who had it. */
export async function removeGroup(sql: Sql, orgId: string, group: string, userIds: string[]): Promise<string[]> {
  const rows = await sql<{ userId: string }[]>`
    update entra_claims k set groups = array_remove(k.groups, ${group}::uuid) from entra_logins l
    where l.id = k.login_id and k.org_id = ${orgId} and l.user_id = any(${userIds}) and ${group}::uuid = any(k.groups)
    returning l.user_id`
  return rows.map(({ userId }) => userId)
}

/** A group or role that users gain by a mapping, or lose. */
export interface Difference {
  userId: string
  kind: 'group' | 'role'
  target: string
  isGain: boolean
  /** The user has the membership or role now. */
  isHeld: boolean
}

/** Lists how the users of an organisation, or one of them, differ from what its mappings give them. */
export async function listDifferences(sql: Sql, orgId: string, userId: string | null): Promise<Difference[]> {
  return sql<Difference[]>`
    select user_id, kind, target, is_gain, is_held from entra_differences
    where org_id = ${orgId} and (${userId}::text is null or user_id = ${userId})
    order by kind, target, is_gain, user_id`
}

/**
 * Lists what users, and the members of groups, have by a mapping only and lose. While they were in the trash, mappings and
 * claims may have changed.
 */
export async function listLosses(
  sql: Sql,
  { userIds, groupIds }: { userIds: string[]; groupIds: string[] },
): Promise<(Difference & { orgId: string })[]> {
  return sql<(Difference & { orgId: string })[]>`
    select org_id, user_id, kind, target, is_gain, is_held from entra_differences
    where not is_gain and (user_id = any(${userIds}) or (kind = 'group' and target = any(${groupIds})))
    order by org_id, kind, target, user_id`
}

/** Lists the users who have signed in through the tenant of an organisation, to whom its mappings apply. */
export async function listUsers(sql: Sql, orgId: string): Promise<string[]> {
  const rows = await sql<{ userId: string }[]>`
    select distinct user_id from entra_logins where org_id = ${orgId} order by user_id`
  return rows.map(({ userId }) => userId)
}

/** A target of mappings with the users who gain or lose it. */
export interface GrantedTarget extends Pick<Difference, 'kind' | 'target'> {
  userIds: string[]
}

/** Records what users have by a mapping only. */
export async function addGrants(sql: Sql, orgId: string, { kind, target, userIds }: GrantedTarget): Promise<void> {
  await sql`
    insert into entra_grants (org_id, user_id, kind, target)
    select ${orgId}, user_id, ${kind}, ${target} from unnest(${userIds}::text[]) user_id
    on conflict do nothing`
}

/** Removes the records of `addGrants`. Returns those users whom no other organisation gives the same. */
export async function removeGrants(
  sql: Sql,
  orgId: string,
  { kind, target, userIds }: GrantedTarget,
): Promise<string[]> {
  await sql`
    delete from entra_grants
    where org_id = ${orgId} and kind = ${kind} and target = ${target} and user_id = any(${userIds})`
  const kept = await sql<{ userId: string }[]>`
    select user_id from entra_grants where kind = ${kind} and target = ${target} and user_id = any(${userIds})`
  const keptIds = new Set(kept.map(({ userId }) => userId))
  return userIds.filter((id) => !keptIds.has(id))
}

/** Forgets what users had by mappings to a role. */
export async function forgetRole(sql: Sql, role: string): Promise<void> {
  await sql`delete from entra_grants where kind = 'role' and target = ${role}`
}
