import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { Sql } from './database/sql.ts'
import { rotateAllKeys } from './provider/keys.ts'
import { readSecret } from './secret.ts'
import { openVault, sealProbe } from './secret-probe.ts'
import { createTestDatabase } from './test-service.ts'
import { createVault } from './vault.ts'

const originalSecret = 'the original secret of this installation'
const otherSecret = 'another secret than that of the database'

let sql: Sql
let dataDir: string
beforeEach(async () => {
  sql = await createTestDatabase()
  await sql`delete from signing_keys`
  dataDir = mkdtempSync(join(tmpdir(), 'passport-probe-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
})

const settings = (secret: string | undefined, ...oldSecrets: string[]) => ({ secret, oldSecrets, dataDir })

async function start(secret: string | undefined, ...oldSecrets: string[]) {
  const vault = await openVault(sql, settings(secret, ...oldSecrets))
  await sealProbe(sql, vault, settings(secret, ...oldSecrets))
  return vault
}

describe('a secret other than that of the database is rejected', () => {
  test('by the probe', async () => {
    await start(originalSecret)
    await expect(start(otherSecret)).rejects.toThrow(
      'PASSPORT_SECRET: the keys in this database are encrypted with another secret than PASSPORT_SECRET. Restore the former secret, or add it to PASSPORT_OLD_SECRETS',
    )
    await start(originalSecret)
  })

  test('by the keys, in a database without the probe', async () => {
    await rotateAllKeys(sql, createVault(originalSecret))
    await sql`drop table secret_probe`
    await expect(start(otherSecret)).rejects.toThrow('encrypted with another secret')
  })

  test('if PASSPORT_OLD_SECRETS does not contain it either', async () => {
    await start(originalSecret)
    await expect(start(otherSecret, 'x'.repeat(32))).rejects.toThrow('and none of PASSPORT_OLD_SECRETS matches')
  })

  test('if it comes from the file of the data directory', async () => {
    await start(originalSecret)
    writeFileSync(join(dataDir, 'secret'), otherSecret)
    await expect(start(undefined)).rejects.toThrow(`another secret than the one in ${join(dataDir, 'secret')}`)
  })

  test('by the later of two concurrent first starts', async () => {
    const first = await openVault(sql, settings(originalSecret))
    const second = await openVault(sql, settings(otherSecret))
    await sealProbe(sql, first, settings(originalSecret))
    await expect(sealProbe(sql, second, settings(otherSecret))).rejects.toThrow('encrypted with another secret')
  })
})

test('a missing secret file is an error and is not replaced', async () => {
  await start(undefined)
  rmSync(join(dataDir, 'secret'))
  await expect(start(undefined)).rejects.toThrow(
    `PASSPORT_SECRET: ${join(dataDir, 'secret')} is missing, and the keys in this database are encrypted with the secret it contained. Restore the file from a backup`,
  )
  expect(existsSync(join(dataDir, 'secret'))).toBe(false)
})

test('the first start generates the secret of the data directory', async () => {
  await start(undefined)
  const generated = readSecret(dataDir)
  expect(generated).toHaveLength(64)
  await start(undefined)
  expect(readSecret(dataDir)).toBe(generated)
})

test('a new secret replaces an old one, which alone is then rejected', async () => {
  await start(originalSecret)
  await start(otherSecret, originalSecret)
  await expect(start(originalSecret)).rejects.toThrow('encrypted with another secret')
  await start(otherSecret)
})
