import type { IncomingHttpHeaders } from 'node:http'
import type { Sql } from '../database/sql.ts'
import type { PresentedToken } from '../http/presented-token.ts'
import { InvalidProof, type Proof, replaySeconds, verifyProof } from '../oauth/dpop.ts'
import { OAuthError } from '../oauth/oauth-error.ts'
import { epochSeconds } from './lifetimes.ts'
import { recordOnce } from './store.ts'

/** The algorithms of proofs for tokens of another issuer, besides those of this one. */
const algorithms = ['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519', 'PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512']

/**
 * Reports whether a token is presented correctly: a bound one (`jkt`) with a fresh proof of its key for this request,
 * an unbound one with the bearer scheme (RFC 9449, sections 4.3 and 7.1).
 */
export async function isValidPresentation(
  sql: Sql,
  { scheme, token, proof, wasProven, method, url }: PresentedToken,
  jkt: string | undefined,
): Promise<boolean> {
  if (!jkt) return scheme === 'bearer'
  if (scheme !== 'dpop' || !proof) return false
  if (wasProven) return true
  try {
    const now = epochSeconds()
    const verified = await verifyProof(proof, { method, url, accessToken: token, now, algorithms })
    return verified.jkt === jkt && (await isFirstUse(sql, verified))
  } catch (error) {
    if (error instanceof InvalidProof) return false
    throw error
  }
}

/** Reports whether a proof is presented for the first time, and records it (RFC 9449, section 11.1). */
export const isFirstUse = (sql: Sql, { jkt, jti }: Proof): Promise<boolean> =>
  recordOnce(sql, `${jkt} ${jti}`, replaySeconds)

/**
 * Verifies the proof of a client's request to an endpoint (RFC 9449, section 5); returns undefined without one. Whether it
 * is presented for the first time is for `requireFirstUse`. Throws `invalid_dpop_proof`.
 */
export async function readClientProof({ dpop }: IncomingHttpHeaders, url: string): Promise<Proof | undefined> {
  if (dpop === undefined) return undefined
  try {
    return await verifyProof(String(dpop), { method: 'POST', url, now: epochSeconds() })
  } catch (error) {
    throw error instanceof InvalidProof ? new OAuthError('invalid_dpop_proof', error.message) : error
  }
}

/** Throws `invalid_dpop_proof` for a proof that was presented before. */
export async function requireFirstUse(sql: Sql, proof: Proof | undefined): Promise<void> {
  if (proof && !(await isFirstUse(sql, proof)))
    throw new OAuthError('invalid_dpop_proof', 'The DPoP proof was already used.')
}
