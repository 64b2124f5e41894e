import { expect, test, vi } from 'vitest'
import type { Sql } from '../database/sql.ts'
import { createLog } from '../log.ts'
import { holdTransaction } from '../test-hold.ts'
import { createTestDatabase } from '../test-service.ts'
import { createSchemaCache } from './directory-schema.ts'
import { startLogReplica } from './log-replica.ts'
import { openPool } from './test-engines.ts'

const waitOptions = { timeout: 30_000 }

/** Inserts rows without notifying the replica. */
async function fill(sql: Sql, count: number) {
  await sql`alter table stored_relationships disable trigger user`
  await sql`insert into stored_relationships
    select 'document', n::text, 'viewer', 'user', 'ada', '' from generate_series(1, ${count}) n on conflict do nothing`
  await sql`alter table stored_relationships enable trigger user`
}

/** Forces a reload, which waits for a lock; returns the states before, during and after it. */
async function reload(sql: Sql, holder: Sql, replica: ReturnType<typeof startLogReplica>) {
  const before = replica.current()
  const release = await holdTransaction(holder, (sql) => sql`lock table role_members in access exclusive mode`)
  await sql`update relationship_head set epoch = gen_random_uuid()::text`
  await sql`select pg_notify('relationships', '')`
  await vi.waitFor(async () => {
    const [{ waiting } = { waiting: 0 }] = await holder<{ waiting: number }[]>`
      select count(*)::integer as waiting from pg_stat_activity
      where datname = current_database() and query like 'copy%' and wait_event_type = 'Lock'`
    expect(waiting).toBe(1)
  }, waitOptions)
  const during = replica.current()
  await release()
  const after = await vi.waitFor(() => {
    const current = replica.current()
    if (!current || current === before) throw new Error('They are not loaded yet.')
    return current
  }, waitOptions)
  return { before, during, after }
}

test('few relationships stay in memory during a reload, many are released first', { timeout: 90_000 }, async () => {
  const sql = await createTestDatabase()
  const holder = await openPool(sql)
  const replica = startLogReplica(await openPool(sql), createLog('silent'), createSchemaCache())
  expect(await replica.waitForRevision({ rev: 0 }, 10_000)).toBe(true)

  await fill(sql, 10)
  const few = await reload(sql, holder, replica)
  expect(few.during).toBe(few.before)
  expect(few.after.graph.size).toBe(10)

  await fill(sql, 50_001)
  await reload(sql, holder, replica)
  const many = await reload(sql, holder, replica)
  expect(many.before?.graph.size).toBe(50_001)
  expect(many.during).toBeUndefined()
  expect(many.after.graph.size).toBe(50_001)
  expect(many.after.counts).toEqual(new Map([['document', 50_001]]))
  await replica.close()
})
