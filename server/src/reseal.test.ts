import { beforeAll, expect, test } from 'vitest'
import * as sessions from './accounts/session-store.ts'
import type { Sql } from './database/sql.ts'
import { createLog } from './log.ts'
import { createAdapter } from './provider/adapter.ts'
import { loadKeys, rotateAllKeys } from './provider/keys.ts'
import { createOutageTracker } from './provider/outage.ts'
import { reportOldSecrets, resealAll } from './reseal.ts'
import { startTestService } from './test-service.ts'
import { createVault, type Vault } from './vault.ts'

const before = createVault('the old secret')
const during = createVault('the new secret', ['the old secret'])
const after = createVault('the new secret')

let sql: Sql
beforeAll(async () => {
  const service = await startTestService()
  sql = service.sql
  await service.as('ada')
  await sql`delete from signing_keys`
  await rotateAllKeys(sql, before)
  await createSessionAdapter(before).upsert('session id', { uid: 'the uid', accountId: 'ada' }, 60)
  await createSessionAdapter(before).upsert('expired', { uid: 'another uid', accountId: 'ada' }, -60)
  await sql`update sessions set upstream_id_token = ${before.seal(sessions.idTokenPurpose, 'an ID token')}`
})

const createSessionAdapter = (vault: Vault) =>
  createAdapter({
    issuer: 'passport',
    sql,
    vault,
    outage: createOutageTracker(sql, 'passport'),
    log: createLog('silent'),
  })('Session')

async function report(vault: Vault, sealedAt: string): Promise<string> {
  const lines: string[] = []
  await reportOldSecrets(sql, vault, sealedAt, { info: (_: object, line: string) => lines.push(line) } as never)
  return lines.join()
}

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 60 * 60 * 1000).toISOString()

test('long-lived values are encrypted with the new secret, after which the old one is no longer needed', async () => {
  // Two keys of each issuer, the id of a session and an ID token.
  expect(await report(during, hoursAgo(0))).toContain('is still required: 6 values are not yet encrypted')
  expect(await loadKeys(sql, during, 'passport')).toHaveLength(2)

  expect(await resealAll(sql, during)).toBe(6)
  expect(await resealAll(sql, during)).toBe(0)
  expect(await report(during, hoursAgo(24))).toContain('is required until 20')
  expect(await report(during, hoursAgo(26))).toContain('is no longer required')

  expect(await loadKeys(sql, after, 'passport')).toHaveLength(2)
  expect(await loadKeys(sql, after, 'directory')).toHaveLength(2)
  expect(await createSessionAdapter(after).findByUid('the uid')).toMatchObject({ jti: 'session id' })
  const [session] = await sql<{ upstreamIdToken: string }[]>`select upstream_id_token from sessions`
  expect(after.open(sessions.idTokenPurpose, session?.upstreamIdToken ?? '')).toBe('an ID token')
})

test('values that no secret decrypts are unchanged and reported', async () => {
  await sql`update sessions set upstream_id_token = ${createVault('a lost secret').seal('x', 'x')}`
  expect(await resealAll(sql, during)).toBe(0)
  expect(await report(during, hoursAgo(26))).toContain('is still required: 1 value')
})
