import * as accounts from '../accounts/store.ts'
import * as audit from '../audit/store.ts'
import { type Sql, savepoint, transaction } from '../database/sql.ts'
import { commandLine } from '../directory-config/command-line.ts'
import * as structure from '../directory-config/store.ts'
import { deleteOrg } from '../entra/delete-org.ts'
import { isMapped } from '../entra/store.ts'
import { deleteGroup } from '../groups/lifecycle.ts'
import * as groupLists from '../groups/list-store.ts'
import { Problem } from '../http/problem.ts'
import * as directory from '../local-directory/store.ts'
import * as orgs from '../orgs/store.ts'
import { changeRoles } from '../roles/change.ts'
import * as roles from '../roles/edit.ts'
import * as roleStore from '../roles/store.ts'
import { remove } from '../users/states.ts'
import * as users from '../users/store.ts'
import { toActor } from './apply.ts'
import * as store from './store.ts'

const batchSize = 100

/** The numbers of records that were taken back, and that were kept because they changed or are in use. */
export interface TakenBack {
  takenBack: number
  kept: number
}

/**
 * Takes an import back: deletes the users who have not signed in or been changed since, then the groups, organisations
 * and roles that nobody else uses. Can be repeated after an interruption.
 */
export async function takeBack(sql: Sql, importId: string): Promise<TakenBack> {
  const total = { takenBack: 0, kept: 0 }
  const add = (states: State[]) => {
    for (const { state } of states) total[state]++
  }
  for (let states = await takeBackUsers(sql, importId); states.length > 0; states = await takeBackUsers(sql, importId))
    add(states)
  for (const kind of ['group', 'organisation', 'role'] as const) add(await takeBackStructure(sql, importId, kind))
  await transaction(sql, async (sql) => {
    await store.finish(sql, importId, 'takenBack')
    await audit.record(sql, {
      ...toActor(importId),
      action: 'users.import-taken-back',
      target: { kind: 'user', id: null },
      after: { import: importId, people: total.takenBack },
    })
  })
  return total
}

interface State {
  sourceKey: string
  state: 'takenBack' | 'kept'
}

/** Deletes the next users of an import, with their passwords and logins; returns their states, none at the end. */
function takeBackUsers(sql: Sql, importId: string): Promise<State[]> {
  return transaction(sql, async (sql) => {
    const records = await store.listAdded(sql, importId, 'user', batchSize)
    if (records.length === 0) return []
    const ids = records.map(({ recordId }) => recordId)
    // In the order of a sign-in: users of the built-in directory before their accounts.
    await directory.lock(sql, await accounts.listSubjects(sql, ids, directory.identityIssuer))
    return changeRoles(sql, { caller: commandLine.caller }, ids, async (sql) => {
      const current = new Map((await users.lockRows(sql, ids)).map((row) => [row.id, row]))
      const states = records.map(({ sourceKey, recordId, version }): State & { recordId: string } => {
        const row = current.get(recordId)
        const isUntouched = row?.version === version && row?.deletedAt === null && row.lastSignInAt === null
        return { sourceKey, recordId, state: isUntouched ? 'takenBack' : 'kept' }
      })
      const removed = states.flatMap(({ recordId, state }) =>
        state === 'takenBack' ? (current.get(recordId) ?? []) : [],
      )
      await removeLogins(
        sql,
        removed.map(({ id }) => id),
      )
      await remove(sql, removed, toActor(importId))
      await store.setStates(sql, importId, 'user', states)
      return states
    })
  })
}

/** Removes logins, so that a later import can add the same identities, and the users of the built-in directory. */
async function removeLogins(sql: Sql, userIds: string[]) {
  const subjects = await accounts.listSubjects(sql, userIds, directory.identityIssuer)
  await directory.remove(sql, subjects)
  await accounts.removeLoginsOf(sql, userIds)
}

/** Deletes the groups, organisations or roles of an import that are not in use. */
function takeBackStructure(sql: Sql, importId: string, kind: 'group' | 'organisation' | 'role'): Promise<State[]> {
  return transaction(sql, async (sql) => {
    const states: State[] = []
    for (const { sourceKey, recordId } of await store.listAdded(sql, importId, kind, 10_000)) {
      const isRemoved = await removeUnused(sql, kind, recordId)
      states.push({ sourceKey, state: isRemoved ? 'takenBack' : 'kept' })
    }
    await store.setStates(sql, importId, kind, states)
    return states
  })
}

/** Deletes a record unless it is used; returns whether it was deleted. */
async function removeUnused(sql: Sql, kind: 'group' | 'organisation' | 'role', id: string): Promise<boolean> {
  try {
    return await savepoint(sql, async (sql) => {
      if (await isUsed(sql, kind, id)) return false
      if (kind === 'group') await deleteGroup(sql, id, commandLine)
      if (kind === 'organisation') await deleteOrg(sql, id, {}, commandLine)
      if (kind === 'role') await roles.remove(sql, id, commandLine)
      return true
    })
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}

async function isUsed(sql: Sql, kind: 'group' | 'organisation' | 'role', id: string): Promise<boolean> {
  if (kind === 'group') {
    const group = await groupLists.find(sql, id, null)
    return group !== undefined && group.memberCount + group.ownerCount > 0
  }
  if (kind === 'organisation') {
    const org = await orgs.find(sql, id)
    if (org === undefined) return false
    return org.memberCount > 0 || (await structure.listGroups(sql)).some((group) => group.org === org.slug)
  }
  const role = await roleStore.find(sql, id, 1)
  if (role === undefined) return false
  return (
    role.memberCount > 0 || (await roleStore.listGroups(sql, id, 1)).length > 0 || (await isMapped(sql, { role: id }))
  )
}
