import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { Sql } from '../database/sql.ts'
import { createTestDatabase } from '../test-service.ts'
import { createVault } from '../vault.ts'
import { type Once, onceOver } from './idempotency.ts'
import { sweepKeys } from './idempotency-store.ts'
import { createLog } from './log.ts'

let sql: Sql
let once: Once

beforeAll(async () => {
  sql = await createTestDatabase()
  once = onceOver({ sql, vault: createVault('a secret'), log: createLog('silent') })
})

beforeEach(async () => {
  await sql`delete from idempotency_keys`
})

const call = (key: string) => ({ callerId: 'ada', key, method: 'POST', url: '/', body: new ArrayBuffer(0) })
const answerOf = (bytes: number) => async () => ({ status: 201, body: 'x'.repeat(bytes) })
/** As if what was asked before had been asked so long ago. */
const letPass = (time: string) => sql`update idempotency_keys set claimed_at = claimed_at - ${time}::interval`

test('a call that lost the database half-way is not tried again', async () => {
  const lost = Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' })
  await expect(once(call('lost'), () => Promise.reject(lost))).rejects.toBe(lost)
  await letPass('5 minutes')
  await expect(once(call('lost'), answerOf(1))).rejects.toMatchObject({ status: 409, code: 'idempotency-unknown' })
})

test('of an answer that is too large it is known that the call was done, and no more', async () => {
  const limit = 256 * 1024
  await once(call('fits'), answerOf(limit))
  expect(await once(call('fits'), answerOf(0))).toEqual(await answerOf(limit)())
  await once(call('too large'), answerOf(limit + 1))
  const again = once(call('too large'), answerOf(0))
  await expect(again).rejects.toMatchObject({ status: 409, code: 'idempotency-answer-too-large' })
  const rows = await sql<{ length: number }[]>`
    select length(sealed_answer) as length from idempotency_keys order by length`
  expect(rows.map(({ length }) => length < 100)).toEqual([true, false])
})

test('a key goes when its day is over, and not before', async () => {
  await once(call('old'), answerOf(1))
  await letPass('24 hours')
  await once(call('new'), answerOf(1))
  await letPass('23 hours 59 minutes')
  expect(await sweepKeys(sql, 1000)).toBe(1)
  expect(await once(call('new'), answerOf(2))).toEqual(await answerOf(1)())
})
