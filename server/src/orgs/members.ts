import type { MembersChanged, MembersRemoved, OrgRole } from '@passport/contract/orgs'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import type { Preconditions } from '../http/conditional.ts'
import { Previewed } from '../http/previewed.ts'
import { Problem } from '../http/problem.ts'
import type { Visit } from '../http/visit.ts'
import { refuseFormer } from '../roles/former.ts'
import * as users from '../users/store.ts'
import { enter, enterToRun, refuseToHandle } from './access.ts'
import * as store from './store.ts'

export interface By {
  caller: Caller
  preview?: boolean | undefined
  visit: Visit
  preconditions: Preconditions
}

/** Adds people, all or none; throws 400 `unknown-profiles` for those whom nobody knows. */
export function addMembers(
  sql: Sql,
  orgId: string,
  { members, role }: { members: string[]; role: OrgRole },
  by: By,
): Promise<MembersChanged> {
  return attempt(sql, by, async (sql) => {
    const { standing } = await lockFor(sql, orgId, by, enterToRun)
    refuseToHandle(standing, [role])
    const ids = [...new Set(members)]
    await refuseUnknown(sql, members)
    const changed = await store.addMembers(sql, orgId, ids, { role, by: by.caller.id })
    if (changed.length > 0) await record(sql, 'org.member-added', orgId, by, { after: { members: changed, role } })
    return outcome(sql, orgId, ids, changed)
  })
}

/** Removes people, all or none; anyone may take themselves out. Throws 409 `last-owner`. */
export function removeMembers(sql: Sql, orgId: string, members: string[], by: By): Promise<MembersRemoved> {
  return attempt(sql, by, async (sql) => {
    const ids = [...new Set(members)]
    const isLeaving = ids.every((id) => id === by.caller.id)
    const { standing } = await lockFor(sql, orgId, by, isLeaving ? enter : enterToRun)
    const before = await store.rolesIn(sql, orgId, ids)
    refuseToHandle(
      standing,
      before.map(({ role }) => role),
    )
    const gone = new Map(before.map(({ id, role }) => [id, role]))
    const changed = ids.filter((id) => gone.has(id))
    if (changed.length > 0) {
      await keepingAnOwner(sql, orgId, () => store.removeMembers(sql, orgId, changed))
      await record(sql, 'org.member-removed', orgId, by, { before: { members: Object.fromEntries(gone) } })
    }
    return { ...(await outcome(sql, orgId, ids, changed)), were: before }
  })
}

/** Changes what someone is. Throws 404 `member-not-found`, 409 `last-owner`. */
export function changeRole(
  sql: Sql,
  { orgId, userId }: { orgId: string; userId: string },
  role: OrgRole,
  by: By,
): Promise<{ member: store.PersonRow; version: number }> {
  return attempt(sql, by, async (sql) => {
    const { org, standing } = await lockFor(sql, orgId, by, enterToRun)
    const member = await store.findPerson(sql, orgId, userId)
    if (!member) throw new Problem(404, 'member-not-found', 'They are not of this organisation.')
    if (member.role === role) return { member, version: org.version }
    refuseToHandle(standing, [member.role, role])
    await keepingAnOwner(sql, orgId, () => store.setRole(sql, orgId, userId, role))
    await record(sql, 'org.member-changed', orgId, by, {
      before: { member: userId, role: member.role },
      after: { member: userId, role },
    })
    return { member: { ...member, role }, version: org.version + 1 }
  })
}

/** A preview is the change itself, undone; it has no effect on roles. */
function attempt<T>(sql: Sql, { preview }: By, change: (sql: Sql) => Promise<T>): Promise<T> {
  return transaction(sql, async (sql) => {
    const result = await change(sql)
    if (preview) throw new Previewed({ gains: [], loses: [] })
    return result
  })
}

/** Locks the organisation, and tells of its version to nobody but who may know it. */
async function lockFor(sql: Sql, orgId: string, { caller, preconditions }: By, ask: typeof enter) {
  await store.lock(sql, orgId)
  await refuseFormer(sql, caller)
  const entered = await ask(sql, caller, orgId)
  preconditions.check({ etag: String(entered.org.version) })
  return entered
}

async function refuseUnknown(sql: Sql, members: string[]) {
  const known = await users.hold(sql, members)
  const errors = members.flatMap((id, at) =>
    known.has(id) ? [] : [{ field: `members[${at}]`, code: 'not-found', message: 'No such profile.' }],
  )
  if (errors.length > 0) throw new Problem(400, 'unknown-profiles', 'Some of them are nobody.', { errors })
}

/** An organisation that has owners keeps one. */
async function keepingAnOwner(sql: Sql, orgId: string, change: () => Promise<void>) {
  const before = await store.countOwners(sql, orgId)
  await change()
  if (before > 0 && (await store.countOwners(sql, orgId)) === 0)
    throw new Problem(409, 'last-owner', 'It would have no owner any more. Make someone else an owner first.')
}

async function outcome(sql: Sql, orgId: string, ids: string[], changed: string[]): Promise<MembersChanged> {
  const org = await store.find(sql, orgId)
  const isChanged = new Set(changed)
  return {
    orgId,
    version: org?.version ?? 0,
    changed,
    unchanged: ids.filter((id) => !isChanged.has(id)),
    memberCount: org?.memberCount ?? 0,
  }
}

const record = (
  sql: Sql,
  action: 'org.member-added' | 'org.member-changed' | 'org.member-removed',
  orgId: string,
  { caller, visit }: By,
  change: Pick<audit.AuditEvent, 'before' | 'after'>,
) => audit.record(sql, { action, actorId: caller.id, target: { kind: 'org', id: orgId }, ...change, visit })
