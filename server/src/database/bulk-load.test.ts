import { setImmediate } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../test-service.ts'
import { copyOut } from './bulk-load.ts'
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
