import type { MembersChanged, MembersRemoved, OrgRole } from '@passport/contract/orgs'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import type { Preconditions } from '../http/conditional.ts'
import { DryRunRollback } from '../http/dry-run-rollback.ts'
import { lastOwner, unknownProfiles } from '../http/problems.ts'
import { requireRecentAuthentication } from '../http/recent.ts'
import type { Visit } from '../http/visit.ts'
import { recheckCaller } from '../roles/recheck-caller.ts'
import * as users from '../users/store.ts'
import { requireAccess, requireCanChangeRoles, requireManager } from './access.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

export interface MemberChangeContext {
  caller: Caller
  preview?: boolean | undefined
  visit: Visit
  preconditions: Preconditions
}

/**
 * Adds members, all or none. Anybody's account can be added by its id, but only an administrator agrees for its user.
 * Throws 400 `unknown-profiles`, 401 for new owners unless the caller authenticated recently, 403, 404 and 412.
 */
export function addMembers(
  sql: Sql,
  orgId: string,
  { members, role }: { members: string[]; role: OrgRole },
  context: MemberChangeContext,
): Promise<MembersChanged> {
  return runChange(sql, context, async (sql) => {
    const { authority } = await lockAuthorized(sql, orgId, context, requireManager)
    requireCanChangeRoles(authority, [role])
    const ids = [...new Set(members)]
    await rejectUnknownUsers(sql, members)
    const isAccepted = authority === 'administrator'
    const changed = await store.addMembers(sql, orgId, ids, { role, addedBy: context.caller.id, isAccepted })
    if (changed.length > 0) {
      if (role === 'owner') requireRecentAuthentication(context.caller)
      await record(sql, 'org.member-added', orgId, context, { after: { members: changed, role } })
    }
    const accepted = isAccepted ? await store.acceptMemberships(sql, orgId, ids) : []
    if (accepted.length > 0)
      await record(sql, 'org.member-added', orgId, context, { after: { members: accepted, accepted: true } })
    return toResult(sql, orgId, ids, changed)
  })
}

/** Removes members, all or none; members may remove themselves. Throws 403, 404, 412 and 409 `last-owner`. */
export function removeMembers(
  sql: Sql,
  orgId: string,
  members: string[],
  context: MemberChangeContext,
): Promise<MembersRemoved> {
  return runChange(sql, context, async (sql) => {
    const ids = [...new Set(members)]
    const isLeaving = ids.every((id) => id === context.caller.id)
    const { authority } = await lockAuthorized(sql, orgId, context, isLeaving ? requireAccess : requireManager)
    const before = await store.listMemberRoles(sql, orgId, ids)
    requireCanChangeRoles(
      authority,
      before.map(({ role }) => role),
    )
    const removedRoles = new Map(before.map(({ id, role }) => [id, role]))
    const changed = ids.filter((id) => removedRoles.has(id))
    if (changed.length > 0) {
      await keepOwner(sql, orgId, () => store.removeMembers(sql, orgId, changed))
      await record(sql, 'org.member-removed', orgId, context, { before: { members: Object.fromEntries(removedRoles) } })
    }
    return { ...(await toResult(sql, orgId, ids, changed)), were: before }
  })
}

/**
 * Changes the role of a member. Throws 401 for a new owner unless the caller authenticated recently, 403, 404, 412 and
 * 409 `last-owner`.
 */
export function changeRole(
  sql: Sql,
  { orgId, userId }: { orgId: string; userId: string },
  role: OrgRole,
  context: MemberChangeContext,
): Promise<{ member: store.MemberRow; version: number }> {
  return runChange(sql, context, async (sql) => {
    const { org, authority } = await lockAuthorized(sql, orgId, context, requireManager)
    const member = await store.findMember(sql, orgId, userId)
    if (!member) throw problems.memberNotFound()
    if (member.role === role) return { member, version: org.version }
    requireCanChangeRoles(authority, [member.role, role])
    if (role === 'owner') requireRecentAuthentication(context.caller)
    await keepOwner(sql, orgId, () => store.setRole(sql, orgId, userId, role))
    if (authority === 'administrator') await store.acceptMemberships(sql, orgId, [userId])
    await record(sql, 'org.member-changed', orgId, context, {
      before: { member: userId, role: member.role },
      after: { member: userId, role },
    })
    return { member: { ...member, role }, version: org.version + 1 }
  })
}

/** Runs a change of members. A preview is rolled back; its effect is empty, since no role depends on organisations. */
function runChange<T>(sql: Sql, { preview }: MemberChangeContext, change: (sql: Sql) => Promise<T>): Promise<T> {
  return transaction(sql, async (sql) => {
    const result = await change(sql)
    if (preview) throw new DryRunRollback({ gains: [], loses: [] })
    return result
  })
}

/** Locks an organisation, and checks the rights of the caller before the preconditions. */
async function lockAuthorized(
  sql: Sql,
  orgId: string,
  { caller, preconditions }: MemberChangeContext,
  requireRight: typeof requireAccess,
) {
  await store.lock(sql, orgId)
  await recheckCaller(sql, caller)
  const access = await requireRight(sql, caller, orgId)
  preconditions.check({ etag: String(access.org.version) })
  return access
}

async function rejectUnknownUsers(sql: Sql, members: string[]) {
  const knownIds = await users.lockExisting(sql, members)
  const errors = members.flatMap((id, index) =>
    knownIds.has(id) ? [] : [{ field: `members[${index}]`, code: 'not-found', message: 'User not found.' }],
  )
  if (errors.length > 0) throw unknownProfiles(errors)
}

/** Runs a change; throws 409 `last-owner` if it leaves an organisation that had an owner without one. */
async function keepOwner(sql: Sql, orgId: string, change: () => Promise<void>) {
  const before = await store.countOwners(sql, orgId)
  await change()
  if (before > 0 && (await store.countOwners(sql, orgId)) === 0) throw lastOwner('An organisation')
}

async function toResult(sql: Sql, orgId: string, ids: string[], changed: string[]): Promise<MembersChanged> {
  const org = await store.find(sql, orgId)
  const changedIds = new Set(changed)
  return {
    orgId,
    version: org?.version ?? 0,
    changed,
    unchanged: ids.filter((id) => !changedIds.has(id)),
    memberCount: org?.memberCount ?? 0,
  }
}

const record = (
  sql: Sql,
  action: 'org.member-added' | 'org.member-changed' | 'org.member-removed',
  orgId: string,
  { caller, visit }: MemberChangeContext,
  change: Pick<audit.AuditEvent, 'before' | 'after'>,
) => audit.record(sql, { action, actorId: caller.id, target: { kind: 'org', id: orgId }, ...change, visit })
