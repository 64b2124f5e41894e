import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { Sql } from '../database/sql.ts'
import { createLog } from '../log.ts'
import { createTestDatabase } from '../test-service.ts'
import { createVault } from '../vault.ts'
import { createIdempotency, type WithIdempotencyKey } from './idempotency.ts'
import { sweepKeys } from './idempotency-store.ts'

let sql: Sql
let withIdempotencyKey: WithIdempotencyKey

beforeAll(async () => {
  sql = await createTestDatabase()
  withIdempotencyKey = createIdempotency({ sql, vault: createVault('a secret'), log: createLog('silent') })
})

beforeEach(async () => {
  await sql`delete from idempotency_keys`
})

const call = (key: string) => ({ callerId: 'ada', key, method: 'POST', url: '/', body: new ArrayBuffer(0) })
const respond = (bytes: number) => async () => ({ status: 201, body: 'x'.repeat(bytes) })
/** Backdates earlier calls by `time` and 1 ms: `claimed_at` is rounded to milliseconds and can lie in the future. */
const advanceClock = (time: string) =>
  sql`update idempotency_keys set claimed_at = claimed_at - ${time}::interval - interval '1 ms'`

test('a retry of a call that lost its database connection fails with 409 idempotency-unknown', async () => {
  const lost = Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' })
  await expect(withIdempotencyKey(call('lost'), () => Promise.reject(lost))).rejects.toBe(lost)
  await advanceClock('5 minutes')
  await expect(withIdempotencyKey(call('lost'), respond(1))).rejects.toMatchObject({
    status: 409,
    code: 'idempotency-unknown',
  })
})

test('a response over 256 KiB is not stored; a retry fails with 409', async () => {
  const limit = 256 * 1024
  await withIdempotencyKey(call('fits'), respond(limit))
  expect(await withIdempotencyKey(call('fits'), respond(0))).toEqual(await respond(limit)())
  await withIdempotencyKey(call('too large'), respond(limit + 1))
  const retry = withIdempotencyKey(call('too large'), respond(0))
  await expect(retry).rejects.toMatchObject({ status: 409, code: 'idempotency-answer-too-large' })
  const rows = await sql<{ length: number }[]>`
    select length(sealed_answer) as length from idempotency_keys order by length`
  expect(rows.map(({ length }) => length < 100)).toEqual([true, false])
})

test('a key expires after 24 hours, not before', async () => {
  await withIdempotencyKey(call('old'), respond(1))
  await advanceClock('24 hours')
  await withIdempotencyKey(call('new'), respond(1))
  await advanceClock('23 hours 59 minutes')
  expect(await sweepKeys(sql, 1000)).toBe(1)
  expect(await withIdempotencyKey(call('new'), respond(2))).toEqual(await respond(1)())
})

test('a response stored before a change of the secret is replayed', async () => {
  const withNewSecret = (old: string[]) =>
    createIdempotency({ sql, vault: createVault('a new secret', old), log: createLog('silent') })
  await withIdempotencyKey(call('kept'), respond(3))
  expect(await withNewSecret(['a secret'])(call('kept'), respond(0))).toEqual(await respond(3)())
  const another = withNewSecret(['a secret'])({ ...call('kept'), url: '/other' }, respond(0))
  await expect(another).rejects.toMatchObject({ status: 409, code: 'idempotency-mismatch' })
  await advanceClock('24 hours')
  expect(await withNewSecret(['a secret'])(call('kept'), respond(1))).toEqual(await respond(1)())
})
