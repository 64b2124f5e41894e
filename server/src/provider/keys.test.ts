import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Sql } from '../database/sql.ts'
import { testSecret } from '../test-database.ts'
import { createTestDatabase } from '../test-service.ts'
import { createVault } from '../vault.ts'
import { loadKeys, revokeKey, rotateKeys } from './keys.ts'

const vault = createVault(testSecret)
const day = 24 * 60 * 60 * 1000
let sql: Sql

beforeAll(async () => {
  sql = await createTestDatabase()
})

const kidsAt = async (now: number, alg = 'ES256') => {
  await rotateKeys(sql, vault, 'passport', now)
  return (await loadKeys(sql, vault, 'passport', now)).filter((key) => key.alg === alg).map(({ kid }) => kid)
}

test('a key is published a day before it signs, and for a week after it last signed', async () => {
  await sql`delete from signing_keys`
  const start = Date.parse('2026-01-01')
  const [first] = await kidsAt(start)
  expect(await kidsAt(start + 88 * day)).toEqual([first])
  const [signing, next] = await kidsAt(start + 89 * day)
  expect(signing).toBe(first)
  expect(next).toBeDefined()
  expect(await kidsAt(start + 89 * day + 1000)).toEqual([first, next])
  expect(await kidsAt(start + 90 * day + 1000)).toEqual([next, first])
  expect(await kidsAt(start + 96 * day)).toEqual([next, first])
  expect(await kidsAt(start + 97 * day + 1000)).toEqual([next])
})

test('one of several servers that start concurrently creates the keys', async () => {
  await sql`delete from signing_keys`
  await Promise.all(Array.from({ length: 4 }, () => rotateKeys(sql, vault, 'passport')))
  const keys = await loadKeys(sql, vault, 'passport')
  expect(keys.map(({ alg }) => alg).sort()).toEqual(['ES256', 'RS256'])
})

test('keys that were encrypted with another secret are rejected with that reason', async () => {
  await rotateKeys(sql, vault, 'passport')
  await expect(loadKeys(sql, createVault('another secret'), 'passport')).rejects.toThrow(
    'encrypted with another PASSPORT_SECRET',
  )
})

test('an unknown key is not revoked', async () => {
  expect(await revokeKey(sql, vault, 'no-such-key', { reason: 'test' })).toBeUndefined()
})

describe('a revoked key', () => {
  const start = Date.parse('2026-01-01')
  const revoke = (kid: string, now: number) => revokeKey(sql, vault, kid, { reason: 'test' }, now)
  beforeEach(async () => {
    await sql`delete from signing_keys`
  })

  test('is no longer published, and a new one signs', async () => {
    const [first = ''] = await kidsAt(start)
    const revoked = await revoke(first, start + day)
    expect(await kidsAt(start + day)).toEqual([revoked?.successor])
    expect(revoked?.successor).not.toBe(first)
  })

  test('is replaced by the next published key', async () => {
    const [first = ''] = await kidsAt(start)
    const [, next] = await kidsAt(start + 89 * day)
    expect(await revoke(first, start + 89 * day + 1000)).toEqual({ successor: next })
    expect(await kidsAt(start + 89 * day + 1000)).toEqual([next])
    expect(await kidsAt(start + 177 * day)).toEqual([next])
  })

  test('is not replaced by an earlier key', async () => {
    const [first] = await kidsAt(start)
    await kidsAt(start + 89 * day)
    const [second = '', former] = await kidsAt(start + 91 * day)
    expect(former).toBe(first)
    const revoked = await revoke(second, start + 91 * day)
    expect(await kidsAt(start + 91 * day)).toEqual([revoked?.successor, first])
  })

  test('that no longer signs has no successor', async () => {
    const [first = ''] = await kidsAt(start)
    await kidsAt(start + 89 * day)
    const [second] = await kidsAt(start + 91 * day)
    expect(await revoke(first, start + 91 * day)).toEqual({ successor: undefined })
    expect(await kidsAt(start + 91 * day)).toEqual([second])
  })

  test('is recorded in the audit log, with its successor', async () => {
    const [first = ''] = await kidsAt(start)
    const revoked = await revoke(first, start + day)
    expect(
      await sql`select action, reason from audit_events where target_id in (${first}, ${revoked?.successor ?? ''})
        and reason is not null order by action`,
    ).toEqual([
      { action: 'key.revoked', reason: 'test' },
      { action: 'key.rotated', reason: 'test' },
    ])
  })
})
