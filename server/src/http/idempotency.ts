import { createHmac } from 'node:crypto'
import { idempotencyFaults } from '@passport/contract/idempotency-key'
import { isDatabaseUnavailable, type Sql } from '../database/sql.ts'
import { createVault, type Vault } from '../vault.ts'
import * as store from './idempotency-store.ts'
import type { Log } from './log.ts'
import { Problem } from './problem.ts'
import type { Answer } from './respond.ts'

/** A call with the key that its caller gave it. */
export interface KeyedCall {
  callerId: string
  key: string
  method: string
  /** Path and query as the client wrote them. */
  url: string
  body: ArrayBuffer
}

/**
 * Performs a call and keeps its answer for 24 hours, or answers what the same call with the same key was answered. Throws
 * 409 where there is no such answer (`idempotencyFaults`), and what `perform` throws, which leaves the key free unless the
 * database was lost.
 */
export type Once = (call: KeyedCall, perform: () => Promise<Answer>) => Promise<Answer>

/** Far more than any answer of the contract has. */
const maxAnswerBytes = 256 * 1024

/** An answer as it is kept; what was too large is known to be done, and no more. */
type Kept = { answer: Answer } | 'too-large'

/**
 * Keys are told apart by their caller. What is stored is sealed with the key, which is stored nowhere, and with the
 * secret of the installation: an answer may hold a link that is told once.
 */
export function onceOver({ sql, vault, log }: { sql: Sql; vault: Vault; log: Log }): Once {
  return async (call, perform) => {
    const own = vaultOf(vault, call)
    const keyHash = own.derive('name').toString('base64url')
    const fingerprint = fingerprintOf(own, call)
    const claim = await store.claim(sql, { keyHash, fingerprint })
    if (!claim?.isTaken) return answerAgain(claim, fingerprint, own)
    const answer = await perform().catch(async (error) => {
      // Whether it was committed is not known then, and it must not be done twice.
      if (!isDatabaseUnavailable(error))
        await store.giveBack(sql, keyHash).catch(tell('idempotency-key-not-given-back'))
      throw error
    })
    // It is done, whether or not that can be told again.
    await store.keepAnswer(sql, keyHash, seal(own, answer)).catch(tell('idempotency-answer-not-kept'))
    return answer
  }

  function tell(what: string) {
    return (error: unknown) => log.error({ err: error }, what)
  }
}

/** A vault of one key of one caller. */
function vaultOf(vault: Vault, { callerId, key }: KeyedCall): Vault {
  const secret = createHmac('sha256', vault.derive('idempotency')).update(JSON.stringify([callerId, key]))
  return createVault(secret.digest('base64url'))
}

const fingerprintOf = (own: Vault, { method, url, body }: KeyedCall): string =>
  createHmac('sha256', own.derive('call')).update(`${method} ${url}\n`).update(new Uint8Array(body)).digest('base64url')

function seal(own: Vault, answer: Answer): string {
  const isKept = typeof answer.body === 'string' && Buffer.byteLength(answer.body) <= maxAnswerBytes
  const kept: Kept = isKept ? { answer } : 'too-large'
  return own.seal('answer', JSON.stringify(kept))
}

function answerAgain(claim: store.Claim | undefined, fingerprint: string, own: Vault): Answer {
  if (!claim) throw refusal('idempotency-in-progress')
  if (claim.fingerprint !== fingerprint) throw refusal('idempotency-mismatch')
  const opened = claim.sealedAnswer === null ? undefined : own.open('answer', claim.sealedAnswer)
  if (opened === undefined) throw refusal(claim.isCutShort ? 'idempotency-unknown' : 'idempotency-in-progress')
  const kept = JSON.parse(opened) as Kept
  if (kept === 'too-large') throw refusal('idempotency-answer-too-large')
  return kept.answer
}

function refusal(code: keyof typeof idempotencyFaults): Problem {
  const headers = { ...(code === 'idempotency-in-progress' && { 'Retry-After': '1' }) }
  return new Problem(409, code, idempotencyFaults[code], { headers })
}
