import { createHash } from 'node:crypto'
import { calculateJwkThumbprint, EmbeddedJWK, type JWK, jwtVerify } from 'jose'
import type { Sql } from '../database/sql.ts'
import type { PresentedToken } from '../http/presented-token.ts'
import { recordOnce } from './store.ts'

const algorithms = ['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519', 'PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512']
/** The maximum age of a proof, in either direction. */
const leewaySeconds = 300

/**
 * Reports whether a token is presented correctly: a bound one (`jkt`) with a fresh proof of its key for this request,
 * an unbound one with the bearer scheme (RFC 9449, sections 4.3 and 7.1).
 */
export async function isValidPresentation(
  sql: Sql,
  presented: PresentedToken,
  jkt: string | undefined,
): Promise<boolean> {
  if (!jkt) return presented.scheme === 'bearer'
  if (presented.scheme !== 'dpop' || !presented.proof) return false
  if (presented.wasProven) return true
  try {
    const { payload, protectedHeader } = await jwtVerify(presented.proof, EmbeddedJWK, {
      typ: 'dpop+jwt',
      algorithms,
      requiredClaims: ['jti', 'htm', 'htu', 'iat', 'ath'],
    })
    const now = Math.floor(Date.now() / 1000)
    const isValid =
      (await calculateJwkThumbprint(protectedHeader.jwk as JWK)) === jkt &&
      payload['htm'] === presented.method &&
      removeQuery(String(payload['htu'])) === removeQuery(presented.url) &&
      payload['ath'] === createHash('sha256').update(presented.token).digest('base64url') &&
      Math.abs(now - (payload.iat ?? 0)) <= leewaySeconds
    return isValid && (await recordOnce(sql, `${jkt} ${payload.jti}`, 2 * leewaySeconds))
  } catch {
    return false
  }
}

function removeQuery(text: string): string {
  const url = new URL(text)
  return `${url.origin}${url.pathname}`
}
