import { v7 as uuid } from 'uuid'
import * as audit from '../audit/store.ts'
import { type Sql, savepoint, transaction } from '../database/sql.ts'
import * as groups from '../groups/store.ts'
import { isAdministrator } from '../http/caller.ts'
import { Problem } from '../http/problem.ts'
import { changeRoles, type RoleChangeContext } from '../roles/change.ts'
import * as roles from '../roles/store.ts'
import { addUsers } from './create.ts'
import * as store from './import-store.ts'
import { remove } from './states.ts'
import * as users from './store.ts'

/** Rows per transaction: completed batches persist, and a batch lost in a crash is retried. */
const rowsAtOnce = 100

/** Resumes all unfinished imports; safe to run in several processes. */
export async function resumeImports(sql: Sql): Promise<void> {
  for (const id of await store.listUnfinished(sql)) await processImport(sql, id)
}

/** Processes an import until it is finished or another process holds it. */
export async function processImport(sql: Sql, id: string): Promise<void> {
  while (await processNextRows(sql, id));
}

/** Processes the next rows of an import; false when none are left. */
export function processNextRows(sql: Sql, id: string): Promise<boolean> {
  return transaction(sql, async (sql) => {
    const work = await store.lockWork(sql, id)
    if (!work) return false
    const starter = await loadCaller(sql, work)
    if (!isAdministrator(starter)) {
      await stop(sql, work)
      return false
    }
    const context = { caller: starter, confirmSelfDemotion: true }
    const isApplying = work.state === 'applying'
    const rows = await store.listNextRows(sql, id, isApplying ? 'valid' : 'added', rowsAtOnce)
    if (rows.length === 0) {
      await finish(sql, work)
      return false
    }
    await store.saveVerdicts(
      sql,
      id,
      await (isApplying ? addRows(sql, work, rows, context) : undoRows(sql, work, rows, context)),
    )
    return true
  })
}

/** Returns the user who started the import with their current rights, which are locked until the transaction ends. */
async function loadCaller(sql: Sql, { createdBy }: store.Work): Promise<RoleChangeContext['caller']> {
  await roles.lockChanges(sql)
  return { id: createdBy, roles: await roles.listActiveRoles(sql, createdBy), isAbsent: true }
}

/** Stops an import whose starter is no longer an administrator; another administrator may restart it. */
async function stop(sql: Sql, work: store.Work) {
  const isApplying = work.state === 'applying'
  await store.finish(sql, work.id, isApplying ? 'checked' : 'applied')
  await audit.record(sql, {
    action: 'users.import-stopped',
    target: { kind: 'user', id: null },
    after: { import: work.id, startedBy: work.createdBy },
    reason: 'starter-not-administrator',
  })
}

const toActorFields = ({ createdBy, visit, id }: store.Work): audit.ActorFields => ({
  actorId: createdBy,
  ...(visit && { visit }),
  reason: `import ${id}`,
})

async function addRows(
  sql: Sql,
  work: store.Work,
  rows: store.Row[],
  context: RoleChangeContext,
): Promise<store.Verdict[]> {
  const ids = rows.map(() => uuid())
  const people = rows.map(({ person }) => person)
  try {
    const added = await savepoint(sql, async (sql) =>
      changeRoles(sql, context, ids, (sql) => addUsers(sql, people, toActorFields(work), ids)),
    )
    const versions = new Map((await users.listRows(sql, ids)).map(({ id, version }) => [id, version]))
    return rows.map(({ line }, index) => {
      const { id = '', error: rowError } = added[index] ?? {}
      if (rowError) return { line, state: 'faulty', ...rowError }
      return { line, state: 'added', userId: id, version: versions.get(id) ?? null }
    })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { code } = error
    const rejected = rows.filter(({ person }) => person.roles.length > 0)
    if (rejected.length === 0) throw error
    return rejected.map(({ line }) => ({ line, state: 'faulty', column: 'roles', code }))
  }
}

async function undoRows(
  sql: Sql,
  work: store.Work,
  rows: store.Row[],
  context: RoleChangeContext,
): Promise<store.Verdict[]> {
  const ids = rows.flatMap(({ userId }) => userId ?? [])
  return changeRoles(sql, context, ids, async (sql) => {
    const currentRows = new Map((await users.lockRows(sql, ids)).map((row) => [row.id, row]))
    const membersOfGroups = await groups.filterPeopleInGroups(sql, ids)
    const verdicts = rows.map(({ line, userId, version }): store.Verdict => {
      const row = currentRows.get(userId ?? '')
      const isUntouched = row && row.version === version && row.deletedAt === null && row.lastSignInAt === null
      const isUnchanged = isUntouched && !membersOfGroups.has(row.id)
      return isUnchanged ? { line, state: 'takenBack', userId } : { line, state: 'kept', code: 'changed-since' }
    })
    const removedUsers = verdicts.flatMap(({ state, userId }) =>
      state === 'takenBack' && userId ? (currentRows.get(userId) ?? []) : [],
    )
    await remove(sql, removedUsers, toActorFields(work))
    return verdicts
  })
}

async function finish(sql: Sql, work: store.Work) {
  const isApplied = work.state === 'applying'
  await store.finish(sql, work.id, isApplied ? 'applied' : 'takenBack')
  const [finished] = await store.list(sql, work.id)
  await audit.record(sql, {
    ...toActorFields(work),
    action: isApplied ? 'users.imported' : 'users.import-taken-back',
    target: { kind: 'user', id: null },
    after: { import: work.id, people: (isApplied ? finished?.added : finished?.takenBack) ?? 0 },
  })
}
