import { once } from 'node:events'
import type { Sql } from './sql.ts'

/** A table for bulk loads, with its columns; defined in the store of its feature. */
export interface Load {
  table: string
  columns: readonly string[]
}

/** A value of a column; booleans and numbers are written in PostgreSQL's syntax. */
export type Cell = string | number | boolean | null

/** Fills a table by COPY, inside a transaction, as fast as the rows arrive. Returns their number. */
export async function copyIn(sql: Sql, load: Load, rows: Iterable<Cell[]>): Promise<number> {
  const { table, columns } = load
  const target = await sql.unsafe(`copy ${table} (${columns.join(', ')}) from stdin`).writable()
  let failure: unknown
  target.on('error', (error) => {
    failure = error
  })
  let count = 0
  let text = ''
  for (const row of rows) {
    text += `${row.map(cellText).join('\t')}\n`
    count++
    if (text.length < chunkLength) continue
    if (!target.write(text)) await once(target, 'drain')
    text = ''
  }
  await new Promise<void>((resolve, reject) => target.write(text, (error) => (error ? reject(error) : resolve())))
  target.end()
  // The driver reports an error at the very end only to the next statement.
  await sql`select`.catch(() => {
    throw failure ?? new Error(`The rows for ${table} conflict with existing rows.`)
  })
  return count
}
const chunkLength = 64 * 1024

/**
 * Streams a COPY to stdout, which must be read to its end. The driver pauses its socket under backpressure and resumes
 * it on reads, but no longer once the end has arrived: the connection would then never respond to another statement. So
 * the stream is resumed once more after its end.
 */
export async function copyOut(sql: Sql, statement: string): Promise<AsyncIterable<Buffer>> {
  const source = await sql.unsafe(statement).readable()
  return source.once('end', () => source._read(0))
}

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }
const cellText = (cell: Cell) =>
  cell === null ? '\\N' : String(cell).replace(/[\\\t\n\r]/g, (sign) => escapes[sign] ?? sign)

/**
 * Runs `body` without the indexes and constraints of some tables, and recreates them afterwards, which is many times
 * faster than maintaining them row by row. Call it inside a transaction: other users of these tables wait for its end.
 */
export async function withoutIndexes<T>(
  sql: Sql,
  loads: Load[],
  body: () => Promise<T>,
  onRebuild: () => void,
): Promise<T> {
  const tables = loads.map(({ table }) => table)
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
