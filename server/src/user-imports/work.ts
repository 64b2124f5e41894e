import { v7 as uuid } from 'uuid'
import * as audit from '../audit/store.ts'
import { type Sql, savepoint, transaction } from '../database/sql.ts'
import * as groups from '../groups/store.ts'
import { Problem } from '../http/problem.ts'
import { type By, changeRoles } from '../roles/change.ts'
import * as roles from '../roles/store.ts'
import { addUsers } from '../users/create.ts'
import { remove } from '../users/states.ts'
import * as users from '../users/store.ts'
import * as store from './store.ts'

/** So many rows in a transaction: what is done is done, and what is lost in a crash is tried again. */
const rowsAtOnce = 100

/** Goes on with every import that is not done with; another process may be at it too. */
export async function resumeImports(sql: Sql): Promise<void> {
  for (const id of await store.listAtWork(sql)) await workOn(sql, id)
}

/** Works on an import until it is done, or another process has taken it up. */
export async function workOn(sql: Sql, id: string): Promise<void> {
  while (await step(sql, id));
}

/** Does the next rows of an import; false where there is nothing to do any more. */
export function step(sql: Sql, id: string): Promise<boolean> {
  return transaction(sql, async (sql) => {
    const work = await store.takeUp(sql, id)
    if (!work) return false
    const starter = await callerOf(sql, work)
    if (!starter.roles.has('Passport.Admin')) {
      await stop(sql, work)
      return false
    }
    const by = { caller: starter, confirmSelfDemotion: true }
    const isApplying = work.state === 'applying'
    const rows = await store.nextRows(sql, id, isApplying ? 'valid' : 'added', rowsAtOnce)
    if (rows.length === 0) {
      await finish(sql, work)
      return false
    }
    await store.judge(sql, id, await (isApplying ? apply(sql, work, rows, by) : takeBack(sql, work, rows, by)))
    return true
  })
}

/** Whoever set it off, with the rights that they have now; they keep them until the transaction ends. */
async function callerOf(sql: Sql, { createdBy }: store.Work): Promise<By['caller']> {
  await roles.lockChanges(sql)
  return { id: createdBy, roles: await roles.rolesOfEnabled(sql, createdBy) }
}

/** Nobody goes on in the name of someone who is no administrator any more; another one may set it off again. */
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

const actorOf = ({ createdBy, visit, id }: store.Work): audit.Actor => ({
  actorId: createdBy,
  ...(visit && { visit }),
  reason: `import ${id}`,
})

async function apply(sql: Sql, work: store.Work, rows: store.Row[], by: By): Promise<store.Verdict[]> {
  const ids = rows.map(() => uuid())
  const people = rows.map(({ person }) => person)
  try {
    const added = await savepoint(sql, async (sql) =>
      changeRoles(sql, by, ids, (sql) => addUsers(sql, people, actorOf(work), ids)),
    )
    const versions = new Map((await users.rowsOf(sql, ids)).map(({ id, version }) => [id, version]))
    return rows.map(({ line }, at) => {
      const { id = '', fault } = added[at] ?? {}
      if (fault) return { line, state: 'faulty', ...fault }
      return { line, state: 'added', userId: id, version: versions.get(id) ?? null }
    })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { code } = error
    const refused = rows.filter(({ person }) => person.roles.length > 0)
    if (refused.length === 0) throw error
    return refused.map(({ line }) => ({ line, state: 'faulty', column: 'roles', code }))
  }
}

async function takeBack(sql: Sql, work: store.Work, rows: store.Row[], by: By): Promise<store.Verdict[]> {
  const ids = rows.flatMap(({ userId }) => userId ?? [])
  return changeRoles(sql, by, ids, async (sql) => {
    const now = new Map((await users.lockRows(sql, ids)).map((row) => [row.id, row]))
    const inGroups = await groups.amongThoseIn(sql, ids)
    const verdicts = rows.map(({ line, userId, version }): store.Verdict => {
      const row = now.get(userId ?? '')
      const isUntouched = row && row.version === version && row.deletedAt === null && row.lastSignInAt === null
      const isAsAdded = isUntouched && !inGroups.has(row.id)
      return isAsAdded ? { line, state: 'takenBack', userId } : { line, state: 'kept', code: 'changed-since' }
    })
    const leaving = verdicts.flatMap(({ state, userId }) =>
      state === 'takenBack' && userId ? (now.get(userId) ?? []) : [],
    )
    await remove(sql, leaving, actorOf(work))
    return verdicts
  })
}

async function finish(sql: Sql, work: store.Work) {
  const isApplied = work.state === 'applying'
  await store.finish(sql, work.id, isApplied ? 'applied' : 'takenBack')
  const [done] = await store.list(sql, work.id)
  await audit.record(sql, {
    ...actorOf(work),
    action: isApplied ? 'users.imported' : 'users.import-taken-back',
    target: { kind: 'user', id: null },
    after: { import: work.id, people: (isApplied ? done?.added : done?.takenBack) ?? 0 },
  })
}
