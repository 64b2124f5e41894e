import { createHmac } from 'node:crypto'
import { isDatabaseUnavailable, type Sql } from '../database/sql.ts'
import type { Log } from '../log.ts'
import { createVault, type Vault } from '../vault.ts'
import * as store from './idempotency-store.ts'
import {
  idempotencyInProgress,
  idempotencyMismatch,
  idempotencyResponseTooLarge,
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
 * Performs a call and stores its response for 24 hours, or returns the stored response to the same call with the same
 * key. Throws 409 if there is no such response (`idempotencyErrors`). An error of `perform` is rethrown, and releases
 * the key unless the database was lost.
 */
export type WithIdempotencyKey = (call: KeyedCall, perform: () => Promise<ResponseParts>) => Promise<ResponseParts>

/** Far above any response of the contract. */
const maxStoredBytes = 256 * 1024

/** The stored outcome of a completed call; `too-large` stands for a response over the limit. */
type StoredResponse = { answer: ResponseParts } | 'too-large'

/**
 * Creates the handling of idempotency keys, which are scoped to their caller. Stored data is encrypted with the key
 * itself, which is not stored, and with the secret of the installation: a response may contain a link that is returned
 * only once.
 */
export function createIdempotency({ sql, vault, log }: { sql: Sql; vault: Vault; log: Log }): WithIdempotencyKey {
  return async (call, perform) => {
    const [current, ...former] = vault.deriveAll('idempotency')
    for (const old of former.map((key) => deriveVault(key, call))) {
      const claim = await store.find(sql, hashKey(old))
      if (claim) return replayResponse(claim, computeFingerprint(old, call), old)
    }
    const keyVault = deriveVault(current, call)
    const keyHash = hashKey(keyVault)
    const fingerprint = computeFingerprint(keyVault, call)
    const claim = await store.claim(sql, { keyHash, fingerprint })
    if (!claim?.isNew) return replayResponse(claim, fingerprint, keyVault)
    const response = await perform().catch(async (error) => {
      // If the database was lost, the call may have been committed and must not be performed twice.
      if (!isDatabaseUnavailable(error))
        await store.release(sql, keyHash).catch(logError('idempotency-key-not-released'))
      throw error
    })
    // The call has succeeded, even if its response cannot be stored.
    await store
      .saveResponse(sql, keyHash, encryptResponse(keyVault, response))
      .catch(logError('idempotency-response-not-stored'))
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

/** Returns the hash under which the call of a key is stored. */
const hashKey = (keyVault: Vault): string => keyVault.derive('name').toString('base64url')

const computeFingerprint = (keyVault: Vault, { method, url, body }: KeyedCall): string =>
  createHmac('sha256', keyVault.derive('call'))
    .update(`${method} ${url}\n`)
    .update(new Uint8Array(body))
    .digest('base64url')

function encryptResponse(keyVault: Vault, response: ResponseParts): string {
  const isStored = typeof response.body === 'string' && Buffer.byteLength(response.body) <= maxStoredBytes
  const stored: StoredResponse = isStored ? { answer: response } : 'too-large'
  return keyVault.seal('answer', JSON.stringify(stored))
}

function replayResponse(claim: store.Claim | undefined, fingerprint: string, keyVault: Vault): ResponseParts {
  if (!claim) throw idempotencyInProgress()
  if (claim.fingerprint !== fingerprint) throw idempotencyMismatch()
  const opened = claim.sealedResponse === null ? undefined : keyVault.open('answer', claim.sealedResponse)
  if (opened === undefined) throw claim.isInterrupted ? idempotencyUnknown() : idempotencyInProgress()
  const stored = JSON.parse(opened) as StoredResponse
  if (stored === 'too-large') throw idempotencyResponseTooLarge()
  return stored.answer
}
