import { once } from 'node:events'
import type { Sql } from './sql.ts'

/** A table that is filled many rows at a time, with the columns that are given; named in the store of its room. */
export interface Load {
  table: string
  columns: readonly string[]
}

/** What a column may hold; a boolean and a number are written as PostgreSQL reads them. */
export type Cell = string | number | boolean | null

/** Fills a table by COPY, inside a transaction, as fast as the rows come. Returns how many came. */
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
  // Of a refusal at the very end the driver tells only whoever comes next.
  await sql`select`.catch(() => {
    throw failure ?? new Error(`The rows for ${table} do not fit what is there.`)
  })
  return count
}
const chunkLength = 64 * 1024

/**
 * What a COPY to stdout sends, to be read to its end. The driver pauses its socket where much of that waits, goes on
 * when it is read, and does so no more once the end came in: whatever else is asked of the connection would never be
 * answered. So it is told once again when all was read.
 */
export async function copyOut(sql: Sql, statement: string): Promise<AsyncIterable<Buffer>> {
  const source = await sql.unsafe(statement).readable()
  return source.once('end', () => source._read(0))
}

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }
const cellText = (cell: Cell) =>
  cell === null ? '\\N' : String(cell).replace(/[\\\t\n\r]/g, (sign) => escapes[sign] ?? sign)

/**
 * Runs `body` while some tables are without the indexes and constraints that can be made anew afterwards, which is many
 * times faster than keeping them row by row. Inside a transaction: whoever else wants these tables waits for its end.
 */
export async function withoutIndexes<T>(
  sql: Sql,
  loads: Load[],
  body: () => Promise<T>,
  rebuilding: () => void,
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
  rebuilding()
  await sql`set local maintenance_work_mem = '512MB'`
  for (const { definition } of indexes) await sql.unsafe(definition)
  for (const { table, name, definition } of constraints)
    await sql.unsafe(`alter table ${table} add constraint "${name}" ${definition}`)
  for (const table of tables) await sql.unsafe(`analyze ${table}`)
  return result
}
