import { beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../test-service.ts'
import { type Sql, transaction } from './sql.ts'

let sql: Sql
beforeAll(async () => {
  sql = await createTestDatabase()
  await sql`create table counters (id integer primary key, hits integer not null)`
  await sql`insert into counters select id, 0 from generate_series(1, 4) as id`
})

test('column names are converted to camel case, and keys inside jsonb are unchanged', async () => {
  const [row] = await sql`select 1 as one_and_two, ${sql.json({ some_key: 1 })}::jsonb as as_json`
  expect(row).toEqual({ oneAndTwo: 1, asJson: { some_key: 1 } })
})

test('an instant is read as it was stored, to the millisecond', async () => {
  const [row] = await sql`select ${'2026-11-21T09:30:00.123Z'}::timestamptz(3) as at`
  expect(row).toEqual({ at: '2026-11-21T09:30:00.123Z' })
})

describe('a transaction', () => {
  test('that loses a conflict is retried, so that no write is lost', async () => {
    const hit = (id: number) =>
      transaction(
        sql,
        async (sql) => {
          const [row] = await sql<{ hits: number }[]>`select hits from counters where id = ${id}`
          await sql`update counters set hits = ${(row?.hits ?? 0) + 1} where id = ${id}`
        },
        { isolation: 'serializable' },
      )
    await Promise.all(Array.from({ length: 40 }, (_, index) => hit((index % 4) + 1)))
    expect(await sql`select sum(hits)::integer as hits from counters`).toEqual([{ hits: 40 }])
  })

  test('that is nested joins the outer one and is rolled back with it', async () => {
    const both = transaction(sql, async (sql) => {
      await sql`insert into counters values (9, 0)`
      await transaction(sql, async (sql) => sql`insert into counters values (10, 0)`)
      throw new Error('rolled back on purpose')
    })
    await expect(both).rejects.toThrow('rolled back on purpose')
    expect(await sql`select from counters where id in (9, 10)`).toHaveLength(0)
  })
})

test('the audit log is append-only, and a purge is recorded in it', async () => {
  await sql`insert into audit_events (id, at, action, target_kind) values ('a', now() - interval '2 years', 'signout', 'user')`
  await expect(sql`update audit_events set action = 'x'`).rejects.toThrow('append-only')
  await expect(sql`delete from audit_events`).rejects.toThrow('append-only')
  await expect(sql`truncate audit_events cascade`).rejects.toThrow('append-only')
  await expect(sql`select purge_audit_events(30)`).rejects.toThrow('at least 365 days')
  await sql`select purge_audit_events(400)`
  expect(await sql`select action, after from audit_events where action <> 'key.rotated'`).toEqual([
    { action: 'audit.purged', after: { events: 1, olderThanDays: 400 } },
  ])
  await expect(sql`delete from audit_events`).rejects.toThrow('append-only')
})
