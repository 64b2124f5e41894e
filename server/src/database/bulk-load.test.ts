import { setImmediate } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../test-service.ts'
import { type Cell, copyIn, copyOut } from './bulk-load.ts'
import { type Sql, transaction } from './sql.ts'

let sql: Sql
beforeAll(async () => {
  sql = await createTestDatabase()
})

test.each([1, 1000, 70_000, 200_000, 1_000_000])(
  'a connection works after a COPY with a last row of %i characters that is read slowly',
  async (length) => {
    const result = await transaction(sql, async (sql) => {
      let size = 0
      for await (const chunk of await copyOut(sql, `copy (select repeat('x', ${length})) to stdout`)) {
        size += chunk.length
        await setImmediate()
      }
      const [row] = await sql`select ${size}::integer as size`
      return row
    })
    expect(result).toEqual({ size: length + 1 })
  },
)

describe('copyIn', () => {
  const target = { table: 'copied', columns: ['number', 'text'] }
  const long = 'x'.repeat(1000)
  beforeAll(async () => {
    await sql`create table copied (number integer primary key, text text not null)`
  })
  const copy = (rows: Iterable<Cell[]>) => transaction(sql, (sql) => copyIn(sql, target, rows))
  function* manyRows(count: number, failAt: number, fail: (number: number) => Cell[]): Generator<Cell[]> {
    for (let number = 0; number < count; number++) yield number === failAt ? fail(number) : [number, long]
  }

  // A row is sent before, with or after the error.
  test.each([0, 100, 9_999])('reports the error of the database at row %i', async (failAt) => {
    const rows = manyRows(10_000, failAt, (number) => [number, null])
    await expect(copy(rows)).rejects.toThrow(/^null value in column "text" of relation "copied"/)
  })

  test('reports an error that the database finds at the end', async () => {
    await expect(
      copy([
        [1, 'a'],
        [1, 'b'],
      ]),
    ).rejects.toThrow('duplicate key value violates unique constraint "copied_pkey"')
  })

  test('reports the error of the rows, and leaves a connection that works', async () => {
    const rows = manyRows(10_000, 5_000, () => {
      throw new Error('No more rows')
    })
    await expect(copy(rows)).rejects.toThrow('No more rows')
    expect(await copy([])).toBe(0)
    expect(await sql`select from copied`).toHaveLength(0)
  })

  test('keeps or merges rows that exist already, as its target says', async () => {
    await sql`insert into copied values (1, 'written'), (2, 'written')`
    const rows = [
      [3, 'loaded'],
      [1, 'loaded'],
    ]
    const load = (onConflict: string) => transaction(sql, (sql) => copyIn(sql, { ...target, onConflict }, rows))
    expect(await load('do nothing')).toBe(2)
    const read = () => sql`select number, text from copied order by 1`.then((rows) => rows.map(({ text }) => text))
    expect(await read()).toEqual(['written', 'written', 'loaded'])
    await load("(number) do update set text = copied.text || ' and ' || excluded.text")
    expect(await read()).toEqual(['written and loaded', 'written', 'loaded and loaded'])
  })
})
