import { actorOf } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Doer } from '../http/caller.ts'
import { Problem } from '../http/problem.ts'
import * as orgs from '../orgs/store.ts'
import { refuseToGive } from '../roles/change.ts'
import { refuseFormer } from '../roles/former.ts'
import { refuseUnknownRoles } from '../roles/known.ts'
import { refuseRolesOf, refuseUnlessOwner, seenInBin, seesAll } from './access.ts'
import { type By, changeGroup, holdPeople } from './change.ts'
import { type GroupRow, told } from './listing.ts'
import * as store from './store.ts'

export interface NewGroup {
  name: string
  description: string
  orgId: string | null
  members: string[]
  owners: string[]
}

/** Makes a group with the caller among its owners; one that a command makes has none. Throws 403, 400 `unknown-org` or `unknown-profiles`, 409 `group-name-taken`. */
export function createGroup(sql: Sql, asked: NewGroup, by: Omit<By<Doer>, 'preconditions'>): Promise<GroupRow> {
  const { name, description, orgId } = asked
  const { caller } = by
  refuseOthersOrg(orgId, caller)
  return transaction(sql, async (sql) => {
    const makers = caller.id === null ? [] : [caller.id]
    const [members, owners] = [[...new Set(asked.members)], [...new Set([...makers, ...asked.owners])]]
    await holdOrg(sql, orgId)
    await refuseFormer(sql, caller)
    await holdPeople(sql, { members: asked.members, owners: asked.owners })
    const id = await store.create(sql, { name, description, orgId, members, owners, by: caller.id })
    if (id === undefined) throw nameTaken()
    await audit.record(sql, {
      action: 'group.created',
      ...actorOf(by),
      target: { kind: 'group', id },
      after: { name, description, orgId, members, owners },
    })
    return told(sql, id, caller.id)
  })
}

/** To whoever is not in the organisation it is all one whether there is such a one. */
function refuseOthersOrg(orgId: string | null, caller: Doer) {
  if (orgId === null || seesAll(caller)) return
  const org = caller.orgs.find(({ id }) => id === orgId)
  if (org?.role === 'owner' || org?.role === 'admin') return
  throw new Problem(403, 'not-org-admin', 'Groups of an organisation are made by its owners and admins.')
}

async function holdOrg(sql: Sql, orgId: string | null) {
  if (orgId === null || (await orgs.hold(sql, orgId))) return
  const errors = [{ field: 'orgId', code: 'not-found', message: 'No such organisation.' }]
  throw new Problem(400, 'unknown-org', 'There is no such organisation.', { errors })
}

/** Changes what a group is called. Throws 409 `group-name-taken`. */
export function renameGroup(sql: Sql, id: string, texts: { name: string; description: string }, by: By<Doer>) {
  return changeGroup(sql, id, by, {
    allow: (group) => refuseUnlessOwner(group, by.caller),
    run: async (sql, group) => {
      const before = { name: group.name, description: group.description }
      if (texts.name === before.name && texts.description === before.description) return group
      await orNameTaken(store.change(sql, id, texts))
      await record(sql, 'group.changed', id, { before, after: { ...texts } }, by)
      return told(sql, id, by.caller.id)
    },
  })
}

export function deleteGroup(sql: Sql, id: string, by: By<Doer>): Promise<void> {
  return changeGroup(sql, id, by, {
    allow: (group) => {
      refuseUnlessOwner(group, by.caller)
      refuseRolesOf(group, by.caller)
    },
    concerns: (sql) => store.memberIds(sql, id),
    run: async (sql, group) => {
      await store.remove(sql, id)
      await record(sql, 'group.deleted', id, { before: whole(group) }, by)
    },
  })
}

/** Gives a deleted group back, by another name where one is told. Throws 409 `group-name-taken` or `org-deleted`. */
export function restoreGroup(sql: Sql, id: string, name: string | undefined, by: By<Doer>): Promise<GroupRow> {
  return changeGroup(sql, id, by, {
    find: seenInBin,
    allow: (group) => refuseRolesOf(group, by.caller),
    concerns: (sql) => store.memberIds(sql, id),
    run: async (sql, group) => {
      if (group.orgId !== null && !(await orgs.hold(sql, group.orgId)))
        throw new Problem(409, 'org-deleted', 'Its organisation is deleted. Restore that first.')
      await orNameTaken(store.restore(sql, id, name ?? group.name))
      const after = await told(sql, id, by.caller.id)
      await record(sql, 'group.restored', id, { after: whole(after) }, by)
      return after
    },
  })
}

/** Says which roles the members of a group have. Throws 400 `unknown-roles`, and whatever a change of roles does. */
export function changeRolesOf(sql: Sql, id: string, asked: string[], by: By<Doer>): Promise<GroupRow> {
  const names = [...new Set(asked)].sort()
  return changeGroup(sql, id, by, {
    allow: () => {},
    hold: (sql) => refuseUnknownRoles(sql, asked),
    concerns: (sql) => store.memberIds(sql, id),
    alwaysGuarded: true,
    run: async (sql, group) => {
      const differing = [...group.roles, ...names].filter((role, _, all) => all.indexOf(role) === all.lastIndexOf(role))
      if (differing.length === 0) return group
      refuseToGive(
        by.caller,
        differing.map((role) => ({ role })),
      )
      await store.setRoles(sql, id, names, by.caller.id)
      await record(sql, 'group.roles-changed', id, { before: { roles: group.roles }, after: { roles: names } }, by)
      return told(sql, id, by.caller.id)
    },
  })
}

function nameTaken() {
  const errors = [{ field: 'name', code: 'group-name-taken', message: 'Another group has this name.' }]
  return new Problem(409, 'group-name-taken', 'Another group has this name.', { errors })
}

async function orNameTaken(written: Promise<void>) {
  await written.catch((error) => {
    throw store.isNameTaken(error) ? nameTaken() : error
  })
}

const whole = ({ name, description, orgId, roles, memberCount, ownerCount }: GroupRow) => ({
  name,
  description,
  orgId,
  roles,
  memberCount,
  ownerCount,
})

type Told = Pick<audit.AuditEvent, 'before' | 'after'>

function record(sql: Sql, action: audit.AuditEvent['action'], id: string, change: Told, by: By<Doer>) {
  return audit.record(sql, { action, ...actorOf(by), target: { kind: 'group', id }, ...change })
}
