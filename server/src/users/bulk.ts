import type { RoleEffect } from '@passport/contract/role-effect'
import type { BulkChange, BulkFailure, BulkResult } from '@passport/contract/user-bulk'
import type * as audit from '../audit/store.ts'
import { type Sql, savepoint, transaction } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import { DryRunRollback } from '../http/dry-run-rollback.ts'
import { Problem } from '../http/problem.ts'
import { namedRoleNotFound } from '../http/problems.ts'
import { isRecentlyAuthenticated, RecentAuthenticationRequired } from '../http/recent.ts'
import type { Visit } from '../http/visit.ts'
import { changeRoles } from '../roles/change.ts'
import { CallerNoLongerAuthorized } from '../roles/recheck-caller.ts'
import * as roles from '../roles/store.ts'
import * as store from './bulk-store.ts'
import * as states from './states.ts'
import * as users from './store.ts'

/** The number of users in one transaction, which keeps transactions short, but fewer than one per user. */
export const batchSize = 100

export interface BulkContext {
  caller: Caller
  visit: Visit
  confirmSelfDemotion: boolean
}

/** Maps a bulk action to its state change. */
export const toStateChange = ({ action, role = '' }: Pick<BulkChange, 'action' | 'role'>): states.Change => {
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
 * Changes users in transactions of `batchSize` and stores how to undo the change. Stops when the caller loses their
 * rights or an error occurs. The result then covers the completed part, including its undo token, and `onError`
 * receives the error. Throws if nothing was changed. For a caller who did not authenticate recently, a change that may give
 * roles is one transaction, so that nothing is changed if a user gains one; beyond one batch it throws 401.
 */
export async function bulkChangeUsers(
  sql: Sql,
  userIds: string[],
  change: BulkChange,
  context: BulkContext,
  onError?: (error: unknown) => void,
): Promise<BulkResult> {
  const run = (sql: Sql) => changeInBatches(sql, userIds, change, context, onError)
  if (isRecentlyAuthenticated(context.caller) || !mayGiveRoles(change.action)) return run(sql)
  if (userIds.length > batchSize) throw new RecentAuthenticationRequired()
  return transaction(sql, run)
}

/** Reports whether users can gain a role by a bulk action. */
export const mayGiveRoles = (action: BulkChange['action']): boolean =>
  action === 'enable' || action === 'restore' || action === 'addRole'

async function changeInBatches(
  sql: Sql,
  userIds: string[],
  change: BulkChange,
  context: BulkContext,
  onError: (error: unknown) => void = () => {},
): Promise<BulkResult> {
  const ids = moveToEnd(userIds, context.caller.id)
  await rejectUnknownRole(sql, change.role)
  if (change.dryRun) return dryRun(sql, ids, change, context)
  const canUndo = change.action !== 'signout'
  const undo = canUndo ? await store.createUndo(sql, { ...change, doneBy: context.caller.id }) : undefined
  const failed: BulkFailure[] = []
  let done = 0
  for (const [index, batch] of toBatches(ids).entries()) {
    try {
      const outcome = await transaction(sql, async (sql) => {
        const { changed, failed } = await changeBatch(sql, batch, toStateChange(change), context)
        if (undo) await store.addRows(sql, undo.token, await listVersions(sql, changed))
        return { changed: changed.length, failed }
      })
      done += outcome.changed
      failed.push(...outcome.failed)
    } catch (error) {
      if (done === 0) throw error
      onError(error)
      failed.push(...toFailures(ids.slice(index * batchSize), error))
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

/** Returns a failure for each user that the change did not reach. */
function toFailures(ids: string[], error: unknown): BulkFailure[] {
  const code = error instanceof Problem ? error.code : 'internal-error'
  return ids.map((id) => ({ id, code }))
}

/** Moves the caller to the end, so that callers who disable their own account change all other users first. */
const moveToEnd = (ids: string[], last: string) => [
  ...ids.filter((id) => id !== last),
  ...ids.filter((id) => id === last),
]

/** Runs the whole change in one transaction that is always rolled back. */
async function dryRun(sql: Sql, ids: string[], change: BulkChange, context: BulkContext): Promise<BulkResult> {
  const totals = { done: 0, failed: [] as BulkFailure[] }
  const preview = await readEffect(() =>
    changeRoles(sql, { ...context, preview: true, confirmSelfDemotion: true }, ids, async (sql) => {
      // The transaction may be retried.
      Object.assign(totals, { done: 0, failed: [] })
      for (const batch of toBatches(ids)) {
        const { changed, failed } = await changeBatch(sql, batch, toStateChange(change), context)
        totals.done += changed.length
        totals.failed.push(...failed)
      }
    }),
  )
  const { done, failed } = totals
  return { done, unchanged: ids.length - done - failed.length, failed, undoToken: null, undoUntil: null, preview }
}

async function readEffect(preview: () => Promise<unknown>): Promise<RoleEffect> {
  try {
    await preview()
  } catch (error) {
    if (error instanceof DryRunRollback) return error.effect as RoleEffect
    throw error
  }
  throw new Error('The preview was not rolled back')
}

const toBatches = (ids: string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / batchSize) }, (_, index) =>
    ids.slice(index * batchSize, (index + 1) * batchSize),
  )

/** Changes users together. If a guard rejects the change, retries each user alone, so that only those who cause it fail. */
export async function changeBatch(
  sql: Sql,
  ids: string[],
  change: states.Change,
  context: BulkContext,
): Promise<states.Outcome> {
  if (ids.length === 0) return { changed: [], failed: [] }
  try {
    return await savepoint(sql, (sql) => changeWithChecks(sql, ids, change, context))
  } catch (error) {
    if (!(error instanceof Problem) || isAboutCaller(error)) throw error
    if (ids.length === 1) return { changed: [], failed: ids.map((id) => ({ id, code: error.code })) }
  }
  const outcome: states.Outcome = { changed: [], failed: [] }
  for (const id of ids) {
    const { changed, failed } = await changeBatch(sql, [id], change, context)
    outcome.changed.push(...changed)
    outcome.failed.push(...failed)
  }
  return outcome
}

/** Reports whether an error is about the caller, and so about all users of the change. */
const isAboutCaller = (error: unknown): boolean =>
  error instanceof CallerNoLongerAuthorized || error instanceof RecentAuthenticationRequired

function changeWithChecks(
  sql: Sql,
  ids: string[],
  change: states.Change,
  context: BulkContext,
): Promise<states.Outcome> {
  const actor: audit.ActorFields = { actorId: context.caller.id, visit: context.visit }
  return changeRoles(sql, context, ids, async (sql) => {
    const rows = await users.lockRows(sql, ids)
    const foundIds = new Set(rows.map(({ id }) => id))
    const unknown = ids.filter((id) => !foundIds.has(id)).map((id) => ({ id, code: 'user-not-found' }))
    const { changed, failed } = await change(sql, rows, actor)
    return { changed, failed: [...failed, ...unknown] }
  })
}

async function listVersions(sql: Sql, changed: { id: string }[]): Promise<{ userId: string; version: number }[]> {
  const rows = await users.listRows(
    sql,
    changed.map(({ id }) => id),
  )
  return rows.map(({ id, version }) => ({ userId: id, version }))
}

async function rejectUnknownRole(sql: Sql, role: string | undefined) {
  if (role === undefined || (await roles.lockExisting(sql, [role])).has(role)) return
  const message = `The role ${role} does not exist.`
  throw namedRoleNotFound(message, [{ field: 'role', code: 'role-not-found', message }])
}
