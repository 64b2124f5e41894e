import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { Sql } from './sql.ts'

/** The table and the columns of a bulk load, as defined in the store of a feature. */
export interface CopyTarget {
  table: string
  columns: readonly string[]
  /**
   * For a table that running servers write as well: the action of `insert … on conflict` for a row that exists already.
   * The rows are inserted in the order of the columns, which writers of several rows must keep to avoid deadlocks.
   */
  onConflict?: string
}

/** A value of a column. */
export type Cell = string | number | boolean | null

/**
 * Adds rows to a table by COPY; call it inside a transaction. Returns the number of rows copied. Throws the error of the
 * database, or that of `rows`.
 */
export async function copyIn(sql: Sql, target: CopyTarget, rows: Iterable<Cell[]>): Promise<number> {
  const { table, columns, onConflict } = target
  if (onConflict === undefined) return copyTo(sql, target, rows)
  const list = columns.join(', ')
  const staging = `${table}_copied`
  await sql.unsafe(`create temp table ${staging} on commit drop as select ${list} from ${table} with no data`)
  const count = await copyTo(sql, { table: staging, columns }, rows)
  await sql.unsafe(
    `insert into ${table} (${list}) select ${list} from ${staging} order by ${list} on conflict ${onConflict}`,
  )
  await sql.unsafe(`drop table ${staging}`)
  return count
}

async function copyTo(sql: Sql, { table, columns }: CopyTarget, rows: Iterable<Cell[]>): Promise<number> {
  const query = sql.unsafe(`copy ${table} (${columns.join(', ')}) from stdin`) as RejectableQuery
  let failure: unknown
  // The driver has resolved the query with the stream when an error arrives, so nothing else reports this rejection.
  const { reject } = query
  query.reject = (error) => {
    failure ??= error
    reject(error)
  }
  const stream = await query.writable()
  stream.on('error', () => {})
  try {
    const count = await writeRows(stream, rows)
    stream.end()
    // The response to the last rows arrives before that of the next statement.
    await sql`select`
    return count
  } catch (error) {
    stream.destroy(error as Error)
    throw failure ?? error
  }
}

/** A query of the driver with its private method for an error. */
type RejectableQuery = ReturnType<Sql['unsafe']> & { reject: (error: unknown) => void }

const chunkLength = 64 * 1024

async function writeRows(stream: Writable, rows: Iterable<Cell[]>): Promise<number> {
  let count = 0
  let text = ''
  for (const row of rows) {
    text += `${row.map(formatCell).join('\t')}\n`
    count++
    if (text.length < chunkLength) continue
    if (!stream.write(text)) await once(stream, 'drain')
    text = ''
  }
  await new Promise<void>((resolve, reject) => stream.write(text, (error) => (error ? reject(error) : resolve())))
  return count
}

/** Lets the rows of this transaction keep their times of change and versions; clients that follow the changes may miss them. */
export async function keepTimes(sql: Sql): Promise<void> {
  await sql`select set_config('passport.bulk_load', 'on', true)`
}

/**
 * Streams the output of a `copy … to stdout` statement; the caller must read it to its end. The driver pauses its
 * socket under backpressure, and does not resume it once the end has arrived, so the connection would never respond to
 * another statement. Reading once more after the end resumes it.
 */
export async function copyOut(sql: Sql, statement: string): Promise<AsyncIterable<Buffer>> {
  const source = await sql.unsafe(statement).readable()
  return source.once('end', () => source._read(0))
}

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }
const formatCell = (cell: Cell) =>
  cell === null ? '\\N' : String(cell).replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? character)

/**
 * Runs `body` without the foreign keys, unique constraints and indexes of some tables, and recreates them afterwards;
 * keeps primary keys, and unique constraints that foreign keys refer to. For a bulk load, this is many times faster
 * than maintaining them row by row. Call it inside a transaction: other statements on these tables wait for it to end.
 */
export async function withoutIndexes<T>(
  sql: Sql,
  targets: CopyTarget[],
  body: () => Promise<T>,
  onRebuild: () => void,
): Promise<T> {
  const tables = targets.map(({ table }) => table)
  const indexes = await sql<{ name: string; definition: string }[]>`
    select c.relname as name, pg_get_indexdef(i.indexrelid) as definition
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = any(${tables}::text[]::regclass[])
      and not exists (select from pg_constraint p where p.conindid = i.indexrelid and p.contype in ('p', 'u', 'x'))`
  const constraints = await sql<{ table: string; name: string; definition: string }[]>`
    select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
    from pg_constraint c
    where conrelid = any(${tables}::text[]::regclass[]) and (contype = 'f' or contype = 'u' and not exists (
      select from pg_constraint r where r.contype = 'f' and r.conindid = c.conindid))
    order by contype desc`
  for (const { table, name } of constraints) await sql.unsafe(`alter table ${table} drop constraint "${name}"`)
  for (const { name } of indexes) await sql.unsafe(`drop index "${name}"`)
  const result = await body()
  onRebuild()
  await sql`set local maintenance_work_mem = '512MB'`
  for (const { definition } of indexes) await sql.unsafe(definition)
  for (const { table, name, definition } of constraints)
    await sql.unsafe(`alter table ${table} add constraint "${name}" ${definition}`)
  for (const table of tables) await sql.unsafe(`analyze ${table}`)
  return result
}
