import { beforeAll, expect, test } from 'vitest'
import type { Sql } from '../database/sql.ts'
import { testSecret } from '../test-database.ts'
import { createTestDatabase } from '../test-service.ts'
import { createVault } from '../vault.ts'
import { loadKeys, rotateKeys } from './keys.ts'

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

test('a key is published a day before it signs and stays a week after', async () => {
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

test('of many servers that start at once one makes the keys', async () => {
  await sql`delete from signing_keys`
  await Promise.all(Array.from({ length: 4 }, () => rotateKeys(sql, vault, 'passport')))
  const keys = await loadKeys(sql, vault, 'passport')
  expect(keys.map(({ alg }) => alg).sort()).toEqual(['ES256', 'RS256'])
})

test('another secret does not open them, and says so', async () => {
  await rotateKeys(sql, vault, 'passport')
  await expect(loadKeys(sql, createVault('another secret'), 'passport')).rejects.toThrow(
    'sealed with another PASSPORT_SECRET',
  )
})
