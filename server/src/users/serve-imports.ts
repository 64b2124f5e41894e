import { setImmediate } from 'node:timers/promises'
import type { RowErrorCode } from '@passport/contract/row-errors'
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
import { findErrors, findTaken, type TakenNames, takeNames } from './create.ts'
import { exportLines } from './export.ts'
import { InvalidUserFile } from './file-layout.ts'
import * as store from './import-store.ts'
import * as problems from './problems.ts'
import { processImport } from './run-import.ts'
import { createRowError, type FileRow, openUserFile } from './user-file.ts'

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
  const found = { ...toUserImport(userImport), file: userImport.file, errors: await store.listErrors(sql, id) }
  if (userImport.state !== 'checked') return found
  return {
    ...found,
    roles: await store.listRoles(sql, id),
    preview: await store.listPreview(sql, id),
    unreachable: await store.countUnreachable(sql, id),
  }
}

const batchSize = 1000
/** The number of lines in 20 MB of typical rows. */
const maxLines = 200_000
/** The event loop runs at least this often while a file is read. */
const maxTurnMs = 20

type Row = Omit<FileRow, 'cells'>

/** Stores an import with the rows of a file, each with its errors; returns its id. Throws 400 `csv-invalid`. */
async function storeChecked(
  sql: Sql,
  bytes: Uint8Array,
  { caller, visit }: { caller: Caller; visit: Visit },
): Promise<string> {
  try {
    const { rows, ...file } = await openUserFile(bytes, { maxLines })
    const id = await store.add(sql, caller.id, file, visit)
    const count = await storeRows(sql, id, rows)
    await audit.record(sql, {
      action: 'users.import-checked',
      actorId: caller.id,
      target: { kind: 'user', id: null },
      after: { import: id, people: count },
      visit,
    })
    return id
  } catch (error) {
    if (error instanceof InvalidUserFile) throw problems.csvInvalid(error.message)
    throw error
  }
}

/** Stores the rows of an import in batches; returns their number. */
async function storeRows(sql: Sql, id: string, rows: Iterable<Row>): Promise<number> {
  const taken: TakenNames = { emails: new Set<string>(), usernames: new Set<string>() }
  let pendingRows: Row[] = []
  let count = 0
  let turnStart = performance.now()
  const flush = async () => {
    if (pendingRows.length > 0) await store.addRows(sql, id, await addConflicts(sql, pendingRows, taken))
    count += pendingRows.length
    pendingRows = []
  }
  for (const row of rows) {
    pendingRows.push(requireName(row))
    if (pendingRows.length === batchSize) await flush()
    if (performance.now() - turnStart > maxTurnMs) {
      await setImmediate()
      turnStart = performance.now()
    }
  }
  await flush()
  if (count === 0) throw new InvalidUserFile('The file has no rows.')
  return count
}

function requireName(row: Row): Row {
  const { username, displayName, email } = row.user
  return username || displayName || email || row.errors.length > 0
    ? row
    : { ...row, errors: [createRowError('nobody' satisfies RowErrorCode)] }
}

/** Adds the errors of rows that conflict with existing users, with earlier rows, or name an unknown or built-in role. */
async function addConflicts(sql: Sql, rows: Row[], taken: TakenNames): Promise<Row[]> {
  const users = rows.map(({ user }) => user)
  const current = await findTaken(
    sql,
    users.flatMap(({ email }) => email?.toLowerCase() ?? []),
    users.flatMap(({ username }) => username?.toLowerCase() ?? []),
  )
  for (const email of current.emails) taken.emails.add(email)
  for (const username of current.usernames) taken.usernames.add(username)
  const unknownRoles = await findUnknownRoles(
    sql,
    users.flatMap((user) => user.roles),
  )
  const builtInRoles = await listBuiltInRoles(sql, users)
  return rows.map((row) => {
    const { user } = row
    const builtInError = findBuiltInError(user, builtInRoles)
    const conflicts = [...(builtInError ? [builtInError] : []), ...findErrors(user, taken, unknownRoles)]
    const values = { email: user.email ?? '', username: user.username ?? '', roles: user.roles.join(' ') }
    const errors = [
      ...row.errors,
      ...conflicts.map(({ column, code }) => createRowError(code, column, { value: values[column] })),
    ]
    if (errors.length === 0) takeNames(user, taken)
    return { ...row, errors }
  })
}
