import * as api from '@passport/contract/user-imports'
import type { UserFilter } from '@passport/contract/users'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Feature } from '../feature.ts'
import type { Caller } from '../http/caller.ts'
import { Created } from '../http/serve.ts'
import type { Visit } from '../http/visit.ts'
import { findUnknownRoles } from '../roles/unknown-roles.ts'
import { findBuiltInError, listBuiltInRoles } from './built-in-roles.ts'
import { type CheckedRow, readRows } from './check-import.ts'
import { findError, findTaken } from './create.ts'
import { exportLines } from './export.ts'
import * as store from './import-store.ts'
import * as problems from './problems.ts'
import { processImport } from './run-import.ts'

/** Serves the export of users to CSV files, and their import. */
export const serveImports: Feature = ({ serve }, { sql, log }) => {
  serve(api.exportUsers, async ({ query, caller, visit }) => {
    const { format: _format, sort, direction, ...filter } = query
    await audit.record(sql, {
      action: 'users.exported',
      actorId: caller.id,
      target: { kind: 'user', id: null },
      after: { ...omitUndefined(filter), sort, direction },
      visit,
    })
    const name = `users-${new Date().toISOString().slice(0, 10)}.csv`
    return { type: 'text/csv', name, parts: exportLines(sql, filter, { sort, direction }) }
  })

  serve(api.createUserImport, async ({ body, caller, visit }) => {
    const id = await transaction(sql, (sql) => storeChecked(sql, body, { caller, visit }))
    return new Created(await findOrThrow(sql, id), `${api.createUserImport.path}/${id}`, { etag: id })
  })

  serve(api.listUserImports, async () => (await store.list(sql)).map(toUserImport))

  serve(api.getUserImport, ({ params }) => findOrThrow(sql, params.importId))

  const startPhase = async (
    id: string,
    states: Parameters<typeof store.startPhase>[2],
    caller: Caller,
    visit: Visit,
  ) => {
    await findOrThrow(sql, id)
    const isStarted = await store.startPhase(sql, id, states, { actorId: caller.id, visit })
    if (!isStarted) throw problems.importState(states.from)
    // Runs in the background; if this process stops, another one resumes the import.
    processImport(sql, id).catch((error) => log.error({ err: error, import: id }, 'import-failed'))
    return findOrThrow(sql, id)
  }
  serve(api.applyUserImport, ({ params, caller, visit }) =>
    startPhase(params.importId, { from: 'checked', to: 'applying' }, caller, visit),
  )
  serve(api.undoUserImport, ({ params, caller, visit }) =>
    startPhase(params.importId, { from: 'applied', to: 'takingBack' }, caller, visit),
  )
}

const omitUndefined = (filter: UserFilter): audit.JsonObject =>
  Object.fromEntries(Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

const toUserImport = ({ id, state, rows, faulty, added, takenBack, createdAt, updatedAt }: store.Import) => ({
  importId: id,
  state,
  rows,
  valid: rows - faulty,
  added,
  takenBack,
  faulty,
  createdAt,
  updatedAt,
})

async function findOrThrow(sql: Sql, id: string) {
  const [userImport] = await store.list(sql, id)
  if (!userImport) throw problems.importNotFound()
  const errors = await store.listErrors(sql, id)
  const roles = userImport.state === 'checked' ? await store.listRoles(sql, id) : undefined
  return { ...toUserImport(userImport), errors, ...(roles && { roles }) }
}

const batchSize = 1000

/** Stores an import with the rows of a file, each with its first error; returns its id. Throws 400 `csv-invalid`. */
async function storeChecked(
  sql: Sql,
  text: string,
  { caller, visit }: { caller: Caller; visit: Visit },
): Promise<string> {
  const id = await store.add(sql, caller.id, visit)
  const takenNames = { emails: new Set<string>(), usernames: new Set<string>() }
  let pendingRows: CheckedRow[] = []
  let rows = 0
  const flush = async () => {
    await store.addRows(sql, id, await addConflicts(sql, pendingRows, takenNames))
    rows += pendingRows.length
    pendingRows = []
  }
  for await (const row of readRows(text)) {
    pendingRows.push(row)
    if (pendingRows.length === batchSize) await flush()
  }
  if (pendingRows.length > 0) await flush()
  if (rows === 0) throw problems.csvInvalid('The file has no rows.')
  await audit.record(sql, {
    action: 'users.import-checked',
    actorId: caller.id,
    target: { kind: 'user', id: null },
    after: { import: id, people: rows },
    visit,
  })
  return id
}

/** Adds the errors of rows that conflict with existing users, with earlier rows, or name an unknown or built-in role. */
async function addConflicts(
  sql: Sql,
  rows: CheckedRow[],
  takenNames: Parameters<typeof findError>[1],
): Promise<CheckedRow[]> {
  const valid = rows.filter(({ error }) => !error).map(({ user }) => user)
  const current = await findTaken(
    sql,
    valid.flatMap(({ email }) => email?.toLowerCase() ?? []),
    valid.flatMap(({ username }) => username?.toLowerCase() ?? []),
  )
  for (const email of current.emails) takenNames.emails.add(email)
  for (const username of current.usernames) takenNames.usernames.add(username)
  const unknownRoles = await findUnknownRoles(
    sql,
    valid.flatMap((user) => user.roles),
  )
  const builtInRoles = await listBuiltInRoles(sql, valid)
  return rows.map((row) => {
    const error = row.error ?? findBuiltInError(row.user, builtInRoles) ?? findError(row.user, takenNames, unknownRoles)
    return error ? { ...row, error } : row
  })
}
