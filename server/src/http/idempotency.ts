import { createHmac } from 'node:crypto'
import { isDatabaseUnavailable, type Sql } from '../database/sql.ts'
import type { Log } from '../log.ts'
import { createVault, type Vault } from '../vault.ts'
import * as store from './idempotency-store.ts'
import {
  idempotencyAnswerTooLarge,
  idempotencyInProgress,
  idempotencyMismatch,
  idempotencyUnknown,
} from './problems.ts'
import type { ResponseParts } from './respond.ts'

/** A call with the idempotency key of its caller. */
export interface KeyedCall {
  callerId: string
  key: string
  method: string
  /** Path and query as the client sent them. */
  url: string
  body: ArrayBuffer
}

/**
 * Performs a call and keeps its answer for 24 hours, or returns the kept answer of the same call with the same key.
 * Throws 409 if there is no such answer (`idempotencyFaults`). An error of `perform` is rethrown, and releases the key
 * unless the database was lost.
 */
export type WithIdempotencyKey = (call: KeyedCall, perform: () => Promise<ResponseParts>) => Promise<ResponseParts>

/** Far above any answer of the contract. */
const maxStoredBytes = 256 * 1024

/** A kept answer; of one that was too large only its completion is known. */
type StoredAnswer = { answer: ResponseParts } | 'too-large'

/**
 * Keys are scoped to their caller. Stored data is encrypted with the key itself, which is not stored, and with the
 * secret of the installation: an answer may contain a link that is returned only once.
 */
export function createIdempotency({ sql, vault, log }: { sql: Sql; vault: Vault; log: Log }): WithIdempotencyKey {
  return async (call, perform) => {
    const [current, ...former] = vault.deriveAll('idempotency')
    for (const old of former.map((key) => deriveVault(key, call))) {
      const claim = await store.find(sql, hashKey(old))
      if (claim) return replayAnswer(claim, computeFingerprint(old, call), old)
    }
    const keyVault = deriveVault(current, call)
    const keyHash = hashKey(keyVault)
    const fingerprint = computeFingerprint(keyVault, call)
    const claim = await store.claim(sql, { keyHash, fingerprint })
    if (!claim?.isTaken) return replayAnswer(claim, fingerprint, keyVault)
    const response = await perform().catch(async (error) => {
      // It may have been committed then, and must not be done twice.
      if (!isDatabaseUnavailable(error))
        await store.release(sql, keyHash).catch(logError('idempotency-key-not-given-back'))
      throw error
    })
    // The call is done, even if its answer cannot be kept.
    await store
      .saveAnswer(sql, keyHash, encryptAnswer(keyVault, response))
      .catch(logError('idempotency-answer-not-kept'))
    return response
  }

  function logError(message: string) {
    return (error: unknown) => log.error({ err: error }, message)
  }
}

/** Derives a vault for one key of one caller, under a key of the installation. */
function deriveVault(installationKey: Buffer, { callerId, key }: KeyedCall): Vault {
  const secret = createHmac('sha256', installationKey).update(JSON.stringify([callerId, key]))
  return createVault(secret.digest('base64url'))
}

/** The name under which the call of a key is stored. */
const hashKey = (keyVault: Vault): string => keyVault.derive('name').toString('base64url')

const computeFingerprint = (keyVault: Vault, { method, url, body }: KeyedCall): string =>
  createHmac('sha256', keyVault.derive('call'))
    .update(`${method} ${url}\n`)
    .update(new Uint8Array(body))
    .digest('base64url')

function encryptAnswer(keyVault: Vault, response: ResponseParts): string {
  const isKept = typeof response.body === 'string' && Buffer.byteLength(response.body) <= maxStoredBytes
  const stored: StoredAnswer = isKept ? { answer: response } : 'too-large'
  return keyVault.seal('answer', JSON.stringify(stored))
}

function replayAnswer(claim: store.Claim | undefined, fingerprint: string, keyVault: Vault): ResponseParts {
  if (!claim) throw idempotencyInProgress()
  if (claim.fingerprint !== fingerprint) throw idempotencyMismatch()
  const opened = claim.sealedAnswer === null ? undefined : keyVault.open('answer', claim.sealedAnswer)
  if (opened === undefined) throw claim.isCutShort ? idempotencyUnknown() : idempotencyInProgress()
  const stored = JSON.parse(opened) as StoredAnswer
  if (stored === 'too-large') throw idempotencyAnswerTooLarge()
  return stored.answer
}
