import { once } from 'node:events'
import type { Sql } from './sql.ts'

/** The table and the columns of a bulk load, as defined in the store of a feature. */
export interface CopyTarget {
  table: string
  columns: readonly string[]
}

/** A value of a column. */
export type Cell = string | number | boolean | null

/** Adds rows to a table by COPY; call it inside a transaction. Returns the number of rows. */
export async function copyIn(sql: Sql, target: CopyTarget, rows: Iterable<Cell[]>): Promise<number> {
  const { table, columns } = target
  const stream = await sql.unsafe(`copy ${table} (${columns.join(', ')}) from stdin`).writable()
  let failure: unknown
  stream.on('error', (error) => {
    failure = error
  })
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
  stream.end()
  // The driver reports an error after the last row only to the next statement.
  await sql`select`.catch((cause: unknown) => {
    throw failure ?? new Error(`The copy to ${table} failed.`, { cause })
  })
  return count
}
const chunkLength = 64 * 1024

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
