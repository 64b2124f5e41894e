import { expect, test, vi } from 'vitest'
import type { Sql } from '../database/sql.ts'
import { createLog } from '../http/log.ts'
import { createTestDatabase } from '../test-service.ts'
import { follow } from './log.ts'
import { keepSchemas } from './schemas.ts'
import { anotherPool } from './test-engines.ts'

const patience = { timeout: 30_000 }

/** Puts some there behind the back of whoever follows. */
async function fill(sql: Sql, count: number) {
  await sql`alter table stored_relationships disable trigger user`
  await sql`insert into stored_relationships
    select 'document', n::text, 'viewer', 'user', 'ada', '' from generate_series(1, ${count}) n on conflict do nothing`
  await sql`alter table stored_relationships enable trigger user`
}

/** Has all loaded anew, and gives what is in memory while that waits for `hold`, and once it is done. */
async function reload(sql: Sql, holder: Sql, follower: ReturnType<typeof follow>) {
  const before = follower.current()
  const hold = await holder.reserve()
  await hold`begin`
  await hold`lock table role_members in access exclusive mode`
  await sql`update relationship_head set epoch = gen_random_uuid()::text`
  await sql`select pg_notify('relationships', '')`
  await vi.waitFor(async () => {
    const [{ waiting } = { waiting: 0 }] = await holder<{ waiting: number }[]>`
      select count(*)::integer as waiting from pg_stat_activity
      where datname = current_database() and query like 'copy%' and wait_event_type = 'Lock'`
    expect(waiting).toBe(1)
  }, patience)
  const meanwhile = follower.current()
  await hold`rollback`
  hold.release()
  const after = await vi.waitFor(() => {
    const current = follower.current()
    if (!current || current === before) throw new Error('They are not loaded yet.')
    return current
  }, patience)
  return { before, meanwhile, after }
}

test('few are answered from while they are loaded anew, many are let go before', { timeout: 90_000 }, async () => {
  const sql = await createTestDatabase()
  const holder = await anotherPool(sql)
  const follower = follow(await anotherPool(sql), createLog('silent'), keepSchemas())
  expect(await follower.reach({ rev: 0 }, 10_000)).toBe(true)

  await fill(sql, 10)
  const few = await reload(sql, holder, follower)
  expect(few.meanwhile).toBe(few.before)
  expect(few.after.graph.size).toBe(10)

  await fill(sql, 50_001)
  await reload(sql, holder, follower)
  const many = await reload(sql, holder, follower)
  expect(many.before?.graph.size).toBe(50_001)
  expect(many.meanwhile).toBeUndefined()
  expect(many.after.graph.size).toBe(50_001)
  expect(many.after.counts).toEqual(new Map([['document', 50_001]]))
  await follower.close()
})
