import type { RoleEffect } from '@passport/contract/role-effect'
import type { BulkChange, BulkFailure, BulkResult } from '@passport/contract/user-bulk'
import type * as audit from '../audit/store.ts'
import { type Sql, savepoint, transaction } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import { Previewed } from '../http/previewed.ts'
import { Problem } from '../http/problem.ts'
import type { Visit } from '../http/visit.ts'
import { changeRoles } from '../roles/change.ts'
import { NoLongerTheirs } from '../roles/former.ts'
import * as roles from '../roles/store.ts'
import * as states from '../users/states.ts'
import * as users from '../users/store.ts'
import * as store from './store.ts'

/** So many people at once: a transaction neither lasts long nor is begun for each. */
export const batchSize = 100

export interface Request {
  caller: Caller
  visit: Visit
  confirmSelfDemotion: boolean
}

/** The change of people that an action is. */
export const changeOf = ({ action, role = '' }: Pick<BulkChange, 'action' | 'role'>): states.Change => {
  const changes: Record<BulkChange['action'], states.Change> = {
    disable: states.disable,
    enable: states.enable,
    signout: states.signOut,
    delete: states.remove,
    restore: states.restore,
    addRole: states.addRole(role),
    removeRole: states.removeRole(role),
  }
  return changes[action]
}

/**
 * Changes people, a hundred in a transaction, and notes how to take it back. It stops where the caller is shut out or
 * something breaks; what was done until then is told, with how to take that back, and `hear` hears what it was. Throws
 * where nothing was done.
 */
export async function changeAll(
  sql: Sql,
  people: string[],
  wish: BulkChange,
  request: Request,
  hear: (error: unknown) => void = () => {},
): Promise<BulkResult> {
  const ids = withLast(people, request.caller.id)
  await refuseUnknownRole(sql, wish.role)
  if (wish.dryRun) return dryRun(sql, ids, wish, request)
  const canUndo = wish.action !== 'signout'
  const undo = canUndo ? await store.begin(sql, { ...wish, doneBy: request.caller.id }) : undefined
  const failed: BulkFailure[] = []
  let done = 0
  for (const [at, batch] of batchesOf(ids).entries()) {
    try {
      const outcome = await transaction(sql, async (sql) => {
        const { changed, failed } = await changeBatch(sql, batch, changeOf(wish), request)
        if (undo) await store.addRows(sql, undo.token, await versionsOf(sql, changed))
        return { changed: changed.length, failed }
      })
      done += outcome.changed
      failed.push(...outcome.failed)
    } catch (error) {
      if (done === 0) throw error
      hear(error)
      failed.push(...left(ids.slice(at * batchSize), error))
      break
    }
  }
  const isUndoable = undo && done > 0
  return {
    done,
    unchanged: ids.length - done - failed.length,
    failed,
    undoToken: isUndoable ? undo.token : null,
    undoUntil: isUndoable ? undo.until : null,
  }
}

/** Those whom a change did not come to. */
function left(ids: string[], error: unknown): BulkFailure[] {
  const code = error instanceof Problem ? error.code : 'internal-error'
  return ids.map((id) => ({ id, code }))
}

/** Whoever shuts themselves out is done with everyone else by then. */
const withLast = (ids: string[], last: string) => [
  ...ids.filter((id) => id !== last),
  ...ids.filter((id) => id === last),
]

/** The whole change in one transaction that never ends well. */
async function dryRun(sql: Sql, ids: string[], wish: BulkChange, request: Request): Promise<BulkResult> {
  const counted = { done: 0, failed: [] as BulkFailure[] }
  const preview = await effectOf(() =>
    changeRoles(sql, { ...request, preview: true, confirmSelfDemotion: true }, ids, async (sql) => {
      // The transaction may start over.
      Object.assign(counted, { done: 0, failed: [] })
      for (const batch of batchesOf(ids)) {
        const { changed, failed } = await changeBatch(sql, batch, changeOf(wish), request)
        counted.done += changed.length
        counted.failed.push(...failed)
      }
    }),
  )
  const { done, failed } = counted
  return { done, unchanged: ids.length - done - failed.length, failed, undoToken: null, undoUntil: null, preview }
}

async function effectOf(preview: () => Promise<unknown>): Promise<RoleEffect> {
  try {
    await preview()
  } catch (error) {
    if (error instanceof Previewed) return error.effect
    throw error
  }
  throw new Error('A preview writes nothing')
}

const batchesOf = (ids: string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / batchSize) }, (_, at) => ids.slice(at * batchSize, (at + 1) * batchSize))

/** Changes people, all together; where a guard refuses that, each alone, so that it is known who is in the way. */
export async function changeBatch(
  sql: Sql,
  ids: string[],
  change: states.Change,
  request: Request,
): Promise<states.Outcome> {
  if (ids.length === 0) return { changed: [], failed: [] }
  try {
    return await savepoint(sql, (sql) => changeGuarded(sql, ids, change, request))
  } catch (error) {
    if (!(error instanceof Problem) || error instanceof NoLongerTheirs) throw error
    if (ids.length === 1) return { changed: [], failed: ids.map((id) => ({ id, code: error.code })) }
  }
  const outcome: states.Outcome = { changed: [], failed: [] }
  for (const id of ids) {
    const { changed, failed } = await changeBatch(sql, [id], change, request)
    outcome.changed.push(...changed)
    outcome.failed.push(...failed)
  }
  return outcome
}

function changeGuarded(sql: Sql, ids: string[], change: states.Change, request: Request): Promise<states.Outcome> {
  const by: audit.Actor = { actorId: request.caller.id, visit: request.visit }
  return changeRoles(sql, request, ids, async (sql) => {
    const rows = await users.lockRows(sql, ids)
    const known = new Set(rows.map(({ id }) => id))
    const unknown = ids.filter((id) => !known.has(id)).map((id) => ({ id, code: 'user-not-found' }))
    const { changed, failed } = await change(sql, rows, by)
    return { changed, failed: [...failed, ...unknown] }
  })
}

async function versionsOf(sql: Sql, people: { id: string }[]): Promise<{ userId: string; version: number }[]> {
  const rows = await users.rowsOf(
    sql,
    people.map(({ id }) => id),
  )
  return rows.map(({ id, version }) => ({ userId: id, version }))
}

async function refuseUnknownRole(sql: Sql, role: string | undefined) {
  if (role === undefined || (await roles.known(sql, [role])).has(role)) return
  const errors = [{ field: 'role', code: 'role-not-found', message: `There is no role ${role}.` }]
  throw new Problem(400, 'role-not-found', `There is no role ${role}.`, { errors })
}
