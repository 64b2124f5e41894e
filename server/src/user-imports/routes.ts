import * as api from '@passport/contract/user-imports'
import type { UserFilter } from '@passport/contract/users'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import { Problem } from '../http/problem.ts'
import { Created } from '../http/serve.ts'
import type { Visit } from '../http/visit.ts'
import { unknownOf } from '../roles/known.ts'
import type { Room } from '../room.ts'
import { faultOf, takenOf } from '../users/create.ts'
import { type CheckedRow, readRows } from './check.ts'
import { exportLines } from './export.ts'
import * as store from './store.ts'
import { workOn } from './work.ts'

/** People as files: downloads of whom a filter finds, and uploads of whom to add. */
export const userImports: Room = ({ serve }, { sql, log }) => {
  serve(api.exportUsers, async ({ query, caller, visit }) => {
    const { format: _format, sort, direction, ...filter } = query
    await audit.record(sql, {
      action: 'users.exported',
      actorId: caller.id,
      target: { kind: 'user', id: null },
      after: { ...definedOf(filter), sort, direction },
      visit,
    })
    const name = `users-${new Date().toISOString().slice(0, 10)}.csv`
    return { type: 'text/csv', name, parts: exportLines(sql, filter, { sort, direction }) }
  })

  serve(api.createUserImport, async ({ body, caller, visit }) => {
    const id = await transaction(sql, (sql) => check(sql, body, { caller, visit }))
    return new Created(await found(sql, id), `${api.createUserImport.path}/${id}`, { etag: id })
  })

  serve(api.listUserImports, async () => (await store.list(sql)).map(told))

  serve(api.getUserImport, ({ params }) => found(sql, params.importId))

  const begin = async (id: string, states: Parameters<typeof store.begin>[2], caller: Caller, visit: Visit) => {
    await found(sql, id)
    const isBegun = await store.begin(sql, id, states, { actorId: caller.id, visit })
    if (!isBegun) throw new Problem(409, 'import-state', `This import is not ${states.from}.`)
    // The answer does not wait for it; should this process end, another goes on.
    workOn(sql, id).catch((error) => log.error({ err: error, import: id }, 'import-failed'))
    return found(sql, id)
  }
  serve(api.applyUserImport, ({ params, caller, visit }) =>
    begin(params.importId, { from: 'checked', to: 'applying' }, caller, visit),
  )
  serve(api.takeBackUserImport, ({ params, caller, visit }) =>
    begin(params.importId, { from: 'applied', to: 'takingBack' }, caller, visit),
  )
}

const definedOf = (filter: UserFilter): audit.JsonObject =>
  Object.fromEntries(Object.entries(filter).flatMap(([name, asked]) => (asked === undefined ? [] : [[name, asked]])))

const told = ({ id, state, rows, faulty, added, takenBack, createdAt, updatedAt }: store.Import) => ({
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

async function found(sql: Sql, id: string) {
  const [one] = await store.list(sql, id)
  if (!one) throw new Problem(404, 'import-not-found', 'There is no such import.')
  return { ...told(one), errors: await store.faultsOf(sql, id) }
}

const rowsAtOnce = 1000

/** Stores the rows of a file, each with what is wrong with it as things stand. */
async function check(sql: Sql, text: string, { caller, visit }: { caller: Caller; visit: Visit }): Promise<string> {
  const id = await store.add(sql, caller.id, visit)
  const taken = { emails: new Set<string>(), usernames: new Set<string>() }
  let waiting: CheckedRow[] = []
  let rows = 0
  const flush = async () => {
    await store.addRows(sql, id, await withFaults(sql, waiting, taken))
    rows += waiting.length
    waiting = []
  }
  for await (const row of readRows(text)) {
    waiting.push(row)
    if (waiting.length === rowsAtOnce) await flush()
  }
  if (waiting.length > 0) await flush()
  if (rows === 0) throw new Problem(400, 'csv-invalid', 'The file has no row.')
  await audit.record(sql, {
    action: 'users.import-checked',
    actorId: caller.id,
    target: { kind: 'user', id: null },
    after: { import: id, people: rows },
    visit,
  })
  return id
}

async function withFaults(sql: Sql, rows: CheckedRow[], taken: Parameters<typeof faultOf>[1]): Promise<CheckedRow[]> {
  const fit = rows.filter(({ fault }) => !fault).map(({ person }) => person)
  const now = await takenOf(
    sql,
    fit.flatMap(({ email }) => email?.toLowerCase() ?? []),
    fit.flatMap(({ username }) => username?.toLowerCase() ?? []),
  )
  for (const email of now.emails) taken.emails.add(email)
  for (const username of now.usernames) taken.usernames.add(username)
  const unknown = await unknownOf(
    sql,
    fit.flatMap((person) => person.roles),
  )
  return rows.map((row) => {
    const fault = row.fault ?? faultOf(row.person, taken, unknown)
    return fault ? { ...row, fault } : row
  })
}
