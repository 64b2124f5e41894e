import type { JoinLink, LinkKind } from '@passport/contract/join'
import { maxCounted } from '@passport/contract/page'
import { type ListRange, pageWhere } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'

/** A row of `listed_join_links`. */
export interface LinkRow {
  id: string
  kind: LinkKind
  targetId: string
  targetName: string
  targetDescription: string
  isTargetDeleted: boolean
  role: JoinLink['role']
  maxUses: number | null
  used: number
  expiresAt: string | null
  domains: string[]
  email: string | null
  status: JoinLink['status']
  createdAt: string
  createdBy: string
  makerName: string | null
}

export interface NewLink extends Pick<LinkRow, 'id' | 'role' | 'maxUses' | 'expiresAt' | 'domains' | 'email'> {
  tokenHash: string
  orgId: string | null
  groupId: string | null
  createdBy: string
  /** Whether the link may lead to a group with roles. */
  mayGiveRoles: boolean
}

export async function add(sql: Sql, link: NewLink): Promise<void> {
  await sql`
    insert into join_links (id, token_hash, org_id, group_id, role, max_uses, expires_at, domains, email, created_by,
      may_give_roles)
    values (
      ${link.id}, ${link.tokenHash}, ${link.orgId}, ${link.groupId}, ${link.role}, ${link.maxUses}, ${link.expiresAt},
      ${link.domains}, ${link.email}, ${link.createdBy}, ${link.mayGiveRoles}
    )`
}

export async function find(sql: Sql, id: string): Promise<LinkRow | undefined> {
  const [link] = await sql<LinkRow[]>`select * from listed_join_links where id = ${id}`
  return link
}

export async function findByToken(sql: Sql, tokenHash: string): Promise<LinkRow | undefined> {
  const [link] = await sql<LinkRow[]>`select * from listed_join_links where token_hash = ${tokenHash}`
  return link
}

/** Locks the link until the transaction ends; returns whether it may lead to a group with roles. */
export async function lock(sql: Sql, id: string): Promise<{ mayGiveRoles: boolean }> {
  const [row] = await sql<{ mayGiveRoles: boolean }[]>`
    select may_give_roles from join_links where id = ${id} for update`
  return row ?? { mayGiveRoles: false }
}

/** Counts one use; the link must be locked. */
export async function recordUse(sql: Sql, id: string): Promise<void> {
  await sql`update join_links set used = used + 1 where id = ${id}`
}

export async function revoke(sql: Sql, id: string): Promise<void> {
  await sql`update join_links set stopped_at = now() where id = ${id}`
}

/** Revokes the links that some users have created and that can still be used; returns them. */
export async function revokeAllBy(
  sql: Sql,
  userIds: string[],
): Promise<{ id: string; kind: LinkKind; targetId: string; createdBy: string }[]> {
  return sql`
    update join_links l set stopped_at = now() from listed_join_links listed
    where listed.id = l.id and l.created_by = any(${userIds}) and listed.status = 'open'
    returning l.id, listed.kind, listed.target_id, l.created_by`
}

interface Target {
  kind: LinkKind
  targetId: string
}

const newestFirst = { key: 'created_at', isDescending: true }

/** Lists the links of an organisation or a group, newest first. */
export async function list(sql: Sql, { kind, targetId }: Target, range: ListRange): Promise<LinkRow[]> {
  const isOfTarget = kind === 'org' ? sql`org_id = ${targetId}` : sql`group_id = ${targetId}`
  return sql<LinkRow[]>`select * from listed_join_links ${pageWhere(sql, newestFirst, range, isOfTarget)}`
}

/** Counts the links of an organisation or a group, exactly up to `maxCounted` and estimated beyond. */
export async function count(sql: Sql, { kind, targetId }: Target): Promise<number> {
  const [org, group] = kind === 'org' ? [targetId, null] : [null, targetId]
  const [row] = await sql<{ found: number }[]>`
    select count_or_estimate(count(*), ${maxCounted}, 'select from join_links where org_id = $1[1] or group_id = $1[2]',
      array[${org}::text, ${group}::text]) as found
    from (
      select from join_links where org_id = ${org} or group_id = ${group} limit ${maxCounted + 1}
    ) as matches`
  return row?.found ?? 0
}
