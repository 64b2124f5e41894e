import type { UserStatus } from '@passport/contract/users'
import { type ListRange, orderBy, pageWhere } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'
import type { DirectRole } from '../users/user-access.ts'

/** The table and columns for bulk loads of role members. */
export const copyTarget = { table: 'role_members', columns: ['role', 'user_id'] }
/** The table and columns for bulk loads of roles. */
export const definitionCopyTarget = {
  table: 'roles',
  columns: ['name', 'description', 'created_at', 'updated_at', 'version'],
}

/** Returns the sorted names of all roles of a user, whether direct or through groups. */
export async function listNames(sql: Sql, userId: string): Promise<string[]> {
  const rows = await sql<{ role: string }[]>`select role from effective_roles where user_id = ${userId} order by role`
  return rows.map(({ role }) => role)
}

/** Grants a direct role; returns false if the user had it already. */
export async function grant(sql: Sql, role: string, userId: string, grantedBy: string | null = null): Promise<boolean> {
  const added = await sql`
    insert into role_members (role, user_id, granted_by) values (${role}, ${userId}, ${grantedBy})
    on conflict do nothing returning role`
  return added.length > 0
}

/** Removes a direct role; returns false if the user did not have it. */
export async function revoke(sql: Sql, role: string, userId: string): Promise<boolean> {
  const removed = await sql`delete from role_members where role = ${role} and user_id = ${userId} returning role`
  return removed.length > 0
}

/**
 * Grants users direct roles; returns the new ones. `grantedAt` keeps an earlier time: a role that was created after it is
 * another one of the same name, and is omitted.
 */
export async function grantAll(
  sql: Sql,
  grants: { userId: string; role: string; grantedAt?: string; grantedBy: string | null }[],
): Promise<{ userId: string; role: string }[]> {
  return sql<{ userId: string; role: string }[]>`
    insert into role_members (role, user_id, granted_at, granted_by)
    select r.name, g."userId", coalesce(g."grantedAt", now()), g."grantedBy"
    from jsonb_to_recordset(${sql.json(grants as never)})
      as g ("userId" text, "role" text, "grantedAt" timestamptz, "grantedBy" text)
    join roles r on r.name = g."role" and (r.built_in or g."grantedAt" is null or r.created_at <= g."grantedAt")
    on conflict do nothing returning user_id, role`
}

/** Removes direct roles of users, all if `role` is null; returns the removed ones. */
export async function revokeAll(sql: Sql, userIds: string[], role: string | null = null): Promise<DirectRole[]> {
  return sql<DirectRole[]>`
    delete from role_members where user_id = any(${userIds}) and (${role}::text is null or role = ${role})
    returning user_id, role, granted_at, granted_by`
}

/** A role of a user. */
export interface UserRole {
  userId: string
  role: string
}

/** A role with its source: a group, or null for a direct role. */
export interface Source extends UserRole {
  groupId: string | null
}

/** Lists every source of the users' roles, sorted by user and role. */
export async function listSources(sql: Sql, userIds: string[]): Promise<Source[]> {
  return sql<Source[]>`
    select user_id, role, group_id from role_sources where user_id = any(${userIds}) order by user_id, role, group_id`
}

/**
 * Serializes changes of roles: each sees the result of the one before.
 *
 * Locks are taken in one order, so that no two transactions wait for each other: this one, then join links and invitations,
 * organisations, users, and groups. A transaction that may change roles, also by a membership, begins with this lock, even
 * if it turns out to change none.
 */
export async function lockChanges(sql: Sql): Promise<void> {
  await sql`select from roles where name = 'Passport.Admin' for no key update`
}

/** Returns the current roles of a user, none if they are disabled or deleted. */
export async function listActiveRoles(sql: Sql, userId: string): Promise<Set<string>> {
  const rows = await sql<{ role: string }[]>`select role from roles_of_enabled where user_id = ${userId}`
  return new Set(rows.map(({ role }) => role))
}

/** What a user may do by a role: use it, or decide as an owner who is in a group with it. */
export interface Power extends UserRole {
  isOwner: boolean
  /** Whether the user is enabled, and not all groups that give it are in the trash. */
  isActive: boolean
  /** Only groups in the trash give it: it begins when one of them is restored. */
  isInTrash: boolean
}

/** Lists the powers of users, which deleted users do not have. */
export async function listPowers(sql: Sql, userIds: string[]): Promise<Power[]> {
  return sql<Power[]>`
    select user_id, role, is_owner, is_active, is_in_trash from role_powers where user_id = any(${userIds})
    order by user_id, role, is_owner`
}

export interface AdministratorState {
  hasAdministrator: boolean
  includesUser: boolean
}

/** Returns whether there is an active administrator, and whether a user is one. */
export async function readAdministratorState(sql: Sql, userId: string | null): Promise<AdministratorState> {
  const [row] = await sql<AdministratorState[]>`
    select exists (select from administrators) as has_administrator,
      exists (select from administrators where user_id = ${userId}) as includes_user`
  return row ?? { hasAdministrator: false, includesUser: false }
}

/**
 * Returns those of the names that are roles, created until a moment if one is given, and locks these roles until the transaction
 * ends.
 */
export async function lockExisting(
  sql: Sql,
  names: string[],
  { createdUntil = null }: { createdUntil?: string | null } = {},
): Promise<Set<string>> {
  const rows = await sql<{ name: string }[]>`
    select name from roles
    where name = any(${names})
      and (built_in or ${createdUntil}::timestamptz is null or created_at <= ${createdUntil})
    for key share`
  return new Set(rows.map(({ name }) => name))
}

/** Returns the built-in ones among these roles, and those with a name of Passport's own. */
export async function filterBuiltIn(sql: Sql, names: string[]): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select name from roles where name = any(${names}) and (built_in or name like 'Passport.%')`
  return rows.map(({ name }) => name)
}

/** Records that users became administrators, or ceased to be. */
export async function recordAdministrationChange(sql: Sql, userIds: string[]): Promise<void> {
  await sql`
    insert into administration_changes (user_id, changed_at)
    select user_id, change_time() from unnest(${userIds}::text[]) user_id
    on conflict (user_id) do update set changed_at = excluded.changed_at`
}

/** Reports whether a user became or ceased to be an administrator at that moment or later. */
export async function hasAdministrationChangedSince(sql: Sql, userId: string, moment: string): Promise<boolean> {
  const [row] = await sql<{ isNew: boolean }[]>`
    select exists (select from administration_changes where user_id = ${userId} and changed_at >= ${moment})
      or coalesce((select min(since) >= ${moment} from role_sources where user_id = ${userId} and role = 'Passport.Admin'), false)
      as is_new`
  return row?.isNew ?? false
}

export interface RoleRow {
  name: string
  description: string
  builtIn: boolean
  createdAt: string
  updatedAt: string
  version: number
  /** Exact up to a limit, estimated beyond. */
  memberCount: number
  directMemberCount: number
}

export type RoleSort = 'name' | 'members' | 'updated'

/** A page of the roles with a word, in an order. */
interface RoleRange extends ListRange {
  word: string
  sort: RoleSort
  isDescending: boolean
  countLimit: number
}

/** Selects the counts of `RoleRow` for the role `name`. */
const memberCounts = (sql: Sql, countLimit: number) => sql`
  count_role_members(name, ${countLimit}) as member_count,
  (
    select count_or_estimate(count(*), ${countLimit - 1}, 'select from role_members where role = $1[1]', array[name])
    from (select from role_members m where m.role = name limit ${countLimit}) d
  ) as direct_member_count`

/** Lists roles. An order by members counts the members of every role, which is fast because there are few roles. */
export async function list(
  sql: Sql,
  { word, sort, isDescending, countLimit, ...range }: RoleRange,
): Promise<RoleRow[]> {
  const hasWord = sql`position(plain_text(${word}) in plain_text(name || ' ' || description)) > 0`
  if (sort === 'members')
    return sql<RoleRow[]>`
      with counted as materialized (
        select *, name collate "C" as sort_name, ${memberCounts(sql, countLimit)} from roles where ${hasWord}
      )
      select name, description, built_in, created_at, updated_at, version::integer, member_count, direct_member_count
      from counted ${pageWhere(sql, { key: 'member_count', id: 'sort_name', isDescending }, range)}`
  const order = { key: sort === 'name' ? 'sort_name' : 'updated_at', id: 'sort_name', isDescending }
  return sql<RoleRow[]>`
    select name, description, built_in, created_at, updated_at, version::integer, ${memberCounts(sql, countLimit)}
    from (
      select * from (select *, name collate "C" as sort_name from roles) r ${pageWhere(sql, order, range, hasWord)}
    ) page ${orderBy(sql, order)}`
}

/** Counts the roles with a word, at most `countLimit`. */
export async function count(sql: Sql, word: string, countLimit: number): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from (
      select from roles where position(plain_text(${word}) in plain_text(name || ' ' || description)) > 0
      limit ${countLimit}) part`
  return row?.count ?? 0
}

export async function find(sql: Sql, name: string, countLimit: number): Promise<RoleRow | undefined> {
  const [row] = await sql<RoleRow[]>`
    select name, description, built_in, created_at, updated_at, version::integer, ${memberCounts(sql, countLimit)}
    from roles where name = ${name}`
  return row
}

export interface LockedRole {
  description: string
  builtIn: boolean
  version: number
}

/** Finds a role, and locks it until the transaction ends. */
export async function lock(sql: Sql, name: string): Promise<LockedRole | undefined> {
  const [row] = await sql<LockedRole[]>`
    select description, built_in, version::integer from roles where name = ${name} for update`
  return row
}

/** Adds a role; returns false if a role of that name exists. */
export async function add(sql: Sql, { name, description }: { name: string; description: string }): Promise<boolean> {
  const added = await sql`
    insert into roles (name, description) values (${name}, ${description}) on conflict do nothing returning name`
  return added.length > 0
}

export async function setDescription(sql: Sql, name: string, description: string): Promise<void> {
  await sql`
    update roles set description = ${description}, updated_at = now(), version = version + 1 where name = ${name}`
}

/** Deletes a role without members or groups. */
export async function remove(sql: Sql, name: string): Promise<void> {
  await sql`delete from roles where name = ${name}`
}

export interface MemberRow {
  id: string
  sortName: string
  displayName: string | null
  username: string | null
  pictureHash: string | null
  email: string | null
  disabled: boolean
  status: UserStatus
  direct: { since: string; by: { id: string; name: string } | null; source?: 'mapping' } | null
  groups: { id: string; name: string; since: string }[]
}

/** Selects the columns of `MemberRow` from the users `p`, with all sources of the role. */
const memberColumns = (sql: Sql, role: string) => sql`
  select p.id, p.sort_name, p.display_name, p.username, p.picture_hash, p.email, p.disabled, p.status,
    (select jsonb_build_object('since', format_instant(d.granted_at),
        'by', case when b.id is null then null else jsonb_build_object('id', b.id, 'name', b.name) end)
        || coalesce(mapping_source(p.id, 'role', ${role}), '{}')
      from role_members d left join role_people b on b.id = d.granted_by
      where d.user_id = p.id and d.role = ${role}) as direct,
    coalesce((select jsonb_agg(jsonb_build_object('id', g.group_id, 'name', g.name, 'since', format_instant(s.since))
        order by g.sort_name, g.group_id)
      from role_sources s join role_groups g on g.group_id = s.group_id and g.role = s.role
      where s.user_id = p.id and s.role = ${role} and s.group_id is not null), '[]') as groups`

/** Lists the members of a role by name. `isLarge` chooses the query plan, not the result. */
export async function listMembers(
  sql: Sql,
  role: string,
  { limit, offset, after, isLarge }: ListRange & { isLarge: boolean },
): Promise<MemberRow[]> {
  const [name, id] = after ?? ['', '']
  return sql<MemberRow[]>`
    ${memberColumns(sql, role)}
    from (
      select m.id from role_members_after(${role}, ${name}, ${id}, ${limit + offset}, ${isLarge}) m
      order by m.sort_name, m.id offset ${offset}
    ) found join role_people p on p.id = found.id
    order by p.sort_name, p.id`
}

/** Lists at most `limit` groups whose members inherit a role, by name. */
export async function listGroups(sql: Sql, role: string, limit: number): Promise<{ id: string; name: string }[]> {
  return sql<{ id: string; name: string }[]>`
    select group_id as id, name from role_groups where role = ${role} order by sort_name, group_id limit ${limit}`
}

/** Returns users as members of a role, by name; all of them must have the role. */
export async function listMembersAmong(sql: Sql, role: string, userIds: string[]): Promise<MemberRow[]> {
  return sql<MemberRow[]>`
    ${memberColumns(sql, role)} from role_people p where p.id = any(${userIds}) order by p.sort_name, p.id`
}

/** Returns those of the users who have the role directly. */
export async function filterDirectHolders(sql: Sql, role: string, userIds: string[]): Promise<string[]> {
  const rows = await sql<{ userId: string }[]>`
    select user_id from role_members where role = ${role} and user_id = any(${userIds})`
  return rows.map(({ userId }) => userId)
}

/** Grants users a direct role. */
export async function grantTo(sql: Sql, role: string, userIds: string[], grantedBy: string | null): Promise<void> {
  await sql`
    insert into role_members (role, user_id, granted_by)
    select ${role}, user_id, ${grantedBy} from unnest(${userIds}::text[]) user_id
    on conflict do nothing`
}

/** Removes a direct role of users. */
export async function revokeFrom(sql: Sql, role: string, userIds: string[]): Promise<void> {
  await sql`delete from role_members where role = ${role} and user_id = any(${userIds})`
}

/** Lists at most `limit` holders of a role, direct or through groups. */
export async function listHolders(sql: Sql, role: string, limit: number): Promise<string[]> {
  const rows = await sql<{ userId: string }[]>`
    select user_id from effective_roles where role = ${role} limit ${limit}`
  return rows.map(({ userId }) => userId)
}

/** Moves the direct roles of a user to another user; returns the names of these roles. */
export async function transferRoles(sql: Sql, from: string, to: string): Promise<string[]> {
  const moved = await sql<{ role: string }[]>`
    with given as (delete from role_members where user_id = ${from} returning role, granted_at, granted_by),
      taken as (
        insert into role_members (role, user_id, granted_at, granted_by)
        select role, ${to}, granted_at, granted_by from given on conflict do nothing
      )
    select role from given order by role`
  return moved.map(({ role }) => role)
}
