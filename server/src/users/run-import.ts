import { v7 as uuid } from 'uuid'
import * as audit from '../audit/store.ts'
import { type Sql, savepoint, transaction } from '../database/sql.ts'
import * as groups from '../groups/store.ts'
import { canGive, isAdministrator, isPassportRole } from '../http/caller.ts'
import { Problem } from '../http/problem.ts'
import { loadAbsentActor } from '../roles/absent-actor.ts'
import { changeRoles, type RoleChangeContext } from '../roles/change.ts'
import * as roles from '../roles/store.ts'
import { findBuiltInError, listBuiltInRoles } from './built-in-roles.ts'
import { addUsers } from './create.ts'
import * as store from './import-store.ts'
import { remove } from './states.ts'
import * as users from './store.ts'
import { createRowError } from './user-file.ts'

/** The number of rows in one transaction. A crash loses at most one batch, which is repeated. */
const batchSize = 100

/** Resumes all unfinished imports; safe to run in several processes. */
export async function resumeImports(sql: Sql): Promise<void> {
  for (const id of await store.listUnfinished(sql)) await processImport(sql, id)
}

/** Processes an import until it is finished or stopped, or another process has locked it. */
export async function processImport(sql: Sql, id: string): Promise<void> {
  while (await processNextRows(sql, id));
}

/** Processes the next rows of an import; returns false if nothing is left to do for this process. */
export function processNextRows(sql: Sql, id: string): Promise<boolean> {
  return transaction(sql, async (sql) => {
    const unfinished = await store.lockUnfinished(sql, id)
    if (!unfinished) return false
    const starter = await loadStarter(sql, unfinished)
    if (!isAdministrator(starter)) {
      await stop(sql, unfinished)
      return false
    }
    const context = { caller: starter, confirmSelfDemotion: true }
    const isApplying = unfinished.state === 'applying'
    const rows = await store.listNextRows(sql, id, isApplying ? 'valid' : 'added', batchSize)
    if (rows.length === 0) {
      await finish(sql, unfinished)
      return false
    }
    await store.saveRowResults(
      sql,
      id,
      await (isApplying ? addRows(sql, unfinished, rows, context) : undoRows(sql, unfinished, rows, context)),
    )
    return true
  })
}

/** Returns the actor who started the phase, with their current roles, which are locked until the transaction ends. */
async function loadStarter(sql: Sql, { createdBy }: store.UnfinishedImport): Promise<RoleChangeContext['caller']> {
  await roles.lockChanges(sql)
  return loadAbsentActor(sql, createdBy)
}

/** Stops an import whose starter is no longer an administrator; any administrator may start the phase again. */
async function stop(sql: Sql, { id, state, createdBy }: store.UnfinishedImport) {
  const isApplying = state === 'applying'
  await store.finish(sql, id, isApplying ? 'checked' : 'applied')
  await audit.record(sql, {
    action: 'users.import-stopped',
    target: { kind: 'user', id: null },
    after: { import: id, startedBy: createdBy },
    reason: 'starter-not-administrator',
  })
}

const toActorFields = ({ createdBy, visit, id }: store.UnfinishedImport): audit.ActorFields => ({
  actorId: createdBy,
  ...(visit && { visit }),
  reason: `import ${id}`,
})

/** Adds the users of rows, except those with one of Passport's own roles. */
async function addRows(
  sql: Sql,
  unfinished: store.UnfinishedImport,
  rows: store.Row[],
  { caller, ...context }: RoleChangeContext,
): Promise<store.RowResult[]> {
  const builtInRoles = await listBuiltInRoles(
    sql,
    rows.map(({ user }) => user),
  )
  const results = rows.map((row) => ({ row, error: findBuiltInError(row.user, builtInRoles) }))
  const rejected = results.flatMap(({ row: { line }, error }): store.RowResult[] =>
    error ? [toFaulty(line, [error])] : [],
  )
  const accepted = results.flatMap(({ row, error }) => (error ? [] : row))
  const mayGive = (role: string) => !isPassportRole(role) && canGive(caller, role)
  return [
    ...rejected,
    ...(await addAccepted(sql, unfinished, accepted, { ...context, caller: { ...caller, mayGive } })),
  ]
}

/** Adds the users of rows. If the starter may not grant a role, only the rows with roles get a result, an error. */
async function addAccepted(
  sql: Sql,
  unfinished: store.UnfinishedImport,
  rows: store.Row[],
  context: RoleChangeContext,
): Promise<store.RowResult[]> {
  if (rows.length === 0) return []
  const ids = rows.map(() => uuid())
  const inputs = rows.map(({ user }) => user)
  try {
    const added = await savepoint(sql, async (sql) =>
      changeRoles(sql, context, ids, (sql) => addUsers(sql, inputs, toActorFields(unfinished), ids)),
    )
    const versions = new Map((await users.listRows(sql, ids)).map(({ id, version }) => [id, version]))
    return rows.map(({ line }, index) => {
      const { id = '', errors } = added[index] ?? {}
      if (errors) return toFaulty(line, errors)
      return { line, state: 'added', userId: id, version: versions.get(id) ?? null }
    })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { code } = error
    const rejected = rows.filter(({ user }) => user.roles.length > 0)
    if (rejected.length === 0) throw error
    return rejected.map(({ line }) => toFaulty(line, [{ column: 'roles', code }]))
  }
}

const toFaulty = (line: number, errors: { column: string; code: string }[]): store.RowResult => {
  return { line, state: 'faulty', errors: errors.map(({ column, code }) => createRowError(code, column)) }
}

/** Deletes the users of rows, except those that changed, signed in or joined a group since. */
async function undoRows(
  sql: Sql,
  unfinished: store.UnfinishedImport,
  rows: store.Row[],
  context: RoleChangeContext,
): Promise<store.RowResult[]> {
  const ids = rows.flatMap(({ userId }) => userId ?? [])
  return changeRoles(sql, context, ids, async (sql) => {
    const currentRows = new Map((await users.lockRows(sql, ids)).map((row) => [row.id, row]))
    const idsInGroups = await groups.filterUsersInGroups(sql, ids)
    const results = rows.map(({ line, userId, version }): store.RowResult => {
      const row = currentRows.get(userId ?? '')
      const isUntouched = row && row.version === version && row.deletedAt === null && row.lastSignInAt === null
      const isUnchanged = isUntouched && !idsInGroups.has(row.id)
      return isUnchanged
        ? { line, state: 'takenBack', userId }
        : { line, state: 'kept', errors: [createRowError('changed-since')] }
    })
    const removedUsers = results.flatMap(({ state, userId }) =>
      state === 'takenBack' && userId ? (currentRows.get(userId) ?? []) : [],
    )
    await remove(sql, removedUsers, toActorFields(unfinished))
    return results
  })
}

async function finish(sql: Sql, unfinished: store.UnfinishedImport) {
  const { id, state } = unfinished
  const isApplied = state === 'applying'
  await store.finish(sql, id, isApplied ? 'applied' : 'takenBack')
  const [finished] = await store.list(sql, id)
  await audit.record(sql, {
    ...toActorFields(unfinished),
    action: isApplied ? 'users.imported' : 'users.import-taken-back',
    target: { kind: 'user', id: null },
    after: { import: id, people: (isApplied ? finished?.added : finished?.takenBack) ?? 0 },
  })
}
