import { setTimeout as delay } from 'node:timers/promises'
import * as sessions from './accounts/session-store.ts'
import type { Sql } from './database/sql.ts'
import type { Log } from './log.ts'
import { purposeOfArtifact } from './provider/adapter.ts'
import * as keys from './provider/key-store.ts'
import { purposeOfKeys } from './provider/keys.ts'
import * as provider from './provider/store.ts'
import type { Vault } from './vault.ts'

const batchSize = 500

/**
 * Idempotent responses, queued emails, and sign-in state in cookies and forms are not re-encrypted: they expire within
 * this time.
 */
const shortLivedHours = 25

interface SealedText {
  purpose: string
  sealed: string
  replace: (sealed: string) => Promise<void>
}

/** Lists at most `limit` long-lived values without this mark, after the cursor `after`. */
type ListUnmarked<Row> = (sql: Sql, mark: string, after: string, limit: number) => Promise<Row[]>

/**
 * Re-encrypts with the current secret the long-lived values of old secrets; returns their number. Values that no
 * secret decrypts are unchanged.
 */
export async function resealAll(sql: Sql, vault: Vault): Promise<number> {
  const keyCount = await reseal(sql, vault, keys.listUnmarkedKeys, ({ kid, issuer, sealedJwk }) => ({
    purpose: purposeOfKeys(issuer),
    sealed: sealedJwk,
    replace: (sealed) => keys.replaceSealedKey(sql, kid, sealedJwk, sealed),
  }))
  const artifactCount = await reseal(sql, vault, provider.listUnmarkedIds, ({ issuer, kind, idHash, sealedId }) => ({
    purpose: purposeOfArtifact(issuer, kind),
    sealed: sealedId,
    replace: (sealed) => provider.replaceSealedId(sql, idHash, sealedId, sealed),
  }))
  const sessionCount = await reseal(sql, vault, sessions.listUnmarkedIdTokens, ({ tokenHash, upstreamIdToken }) => ({
    purpose: sessions.idTokenPurpose,
    sealed: upstreamIdToken,
    replace: (sealed) => sessions.replaceIdToken(sql, tokenHash, upstreamIdToken, sealed),
  }))
  return keyCount + artifactCount + sessionCount
}

async function reseal<Row extends { cursor: string }>(
  sql: Sql,
  vault: Vault,
  list: ListUnmarked<Row>,
  toText: (row: Row) => SealedText,
): Promise<number> {
  let count = 0
  for (let after = ''; ; await delay(10)) {
    const rows = await list(sql, vault.mark, after, batchSize)
    for (const { purpose, sealed, replace } of rows.map(toText)) {
      const text = vault.open(purpose, sealed)
      if (text === undefined) continue
      await replace(vault.seal(purpose, text))
      count++
    }
    if (rows.length < batchSize) return count
    after = rows.at(-1)?.cursor ?? after
  }
}

/** Logs the number of values still encrypted with an old secret, or the time from which no old secret is needed. */
export async function reportOldSecrets(sql: Sql, { mark }: Vault, sealedAt: string, log: Log): Promise<void> {
  const counts = [
    await keys.countUnmarkedKeys(sql, mark),
    await provider.countUnmarkedIds(sql, mark),
    await sessions.countUnmarked(sql, mark),
  ]
  const left = counts.reduce((sum, count) => sum + count)
  const neededUntil = new Date(Date.parse(sealedAt) + shortLivedHours * 60 * 60 * 1000)
  if (left > 0) {
    const values = left === 1 ? '1 value is' : `${left} values are`
    log.info({ left }, `PASSPORT_OLD_SECRETS is still required: ${values} not yet encrypted with the new secret`)
  } else if (neededUntil.getTime() > Date.now()) {
    log.info(
      { left, neededUntil: neededUntil.toISOString() },
      `PASSPORT_OLD_SECRETS is required until ${neededUntil.toISOString()}, when the last short-lived value expires`,
    )
  } else {
    log.info({ left }, 'PASSPORT_OLD_SECRETS is no longer required: everything is encrypted with the new secret')
  }
}
