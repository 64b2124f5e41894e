import { jwtVerify } from 'jose'
import type { JwtHeader, KeySet } from './key-set.ts'

/** The type of access tokens in the JWT header (RFC 9068, section 2.1). */
const accessTokenType = 'at+jwt'

/** Returns the audience of tokens for this API. */
export const audienceOf = (publicUrl: string): string => `${publicUrl}/passport`

/** The claims of an access token (RFC 9068). The token is valid as long as the artifact with the id `jti` exists. */
export interface AccessTokenClaims {
  jti: string
  /** The audience of the API that the token is for. */
  aud: string
  sub: string
  client_id: string
  scope: string
  iat: number
  exp: number
  roles: string[]
  orgs: string[]
  /** The time of the last authentication, in seconds since 1970. */
  auth_time?: number
  /** The key that the presenter must hold (RFC 9449, section 6). */
  cnf?: { jkt: string }
  sid?: string
  /** Further claims about the user that the API has configured. */
  [claim: string]: unknown
}

interface NewAccessToken {
  jti: string
  aud: string
  clientId: string
  scope: string
  /** The current time in seconds since 1970. */
  now: number
  lifetimeSec: number
  /** The thumbprint of the key that the token is bound to (RFC 9449, section 6). */
  jkt?: string | undefined
}

/** Returns the claims common to users' and clients' tokens (RFC 9068, section 2.2). */
export const toCommonClaims = ({ jti, aud, clientId, scope, now, lifetimeSec, jkt }: NewAccessToken) => ({
  jti,
  aud,
  client_id: clientId,
  scope,
  iat: now,
  exp: now + lifetimeSec,
  ...(jkt && { cnf: { jkt } }),
})

/** Returns the claims about a client in its own access token (RFC 9068, section 2.2). */
export const toClientClaims = (clientId: string) => ({ sub: clientId, roles: [], orgs: [] })

/** Signs an access token as a JWT of the type `at+jwt`, with the current signing key. */
export const signAccessToken = (claims: AccessTokenClaims, publicUrl: string, keys: KeySet): string =>
  keys.sign({ ...claims, iss: publicUrl }, 'ES256', accessTokenType)

/** Returns the header of access tokens. */
export const accessTokenHeader = (keys: KeySet): JwtHeader => keys.headerOf('ES256', accessTokenType)

/**
 * Verifies an access token of this issuer and returns its claims; undefined if it is invalid, expired, or for another
 * API than this one, unless `isForAnyApi`. Whether it was revoked is in the database.
 */
export async function readAccessToken(
  token: string,
  publicUrl: string,
  keys: KeySet,
  { isForAnyApi = false, now = Math.floor(Date.now() / 1000) } = {},
): Promise<AccessTokenClaims | undefined> {
  const claims = await verifySignature(token, publicUrl, keys, now)
  if (!claims || claims.exp <= now) return undefined
  return isForAnyApi || [claims.aud].flat().includes(audienceOf(publicUrl)) ? claims : undefined
}

const maxVerified = 1000
/** The claims of tokens whose signature was verified, as long as the keys stay: a signature does not change. */
const verifiedTokens = new WeakMap<KeySet, Map<string, AccessTokenClaims>>()

async function verifySignature(
  token: string,
  publicUrl: string,
  keys: KeySet,
  now: number,
): Promise<AccessTokenClaims | undefined> {
  const verified = verifiedTokens.get(keys) ?? new Map<string, AccessTokenClaims>()
  const known = verified.get(token)
  if (known) return known
  try {
    const { payload } = await jwtVerify<AccessTokenClaims>(token, keys.findKey, {
      issuer: publicUrl,
      typ: accessTokenType,
      algorithms: ['ES256'],
      requiredClaims: ['jti', 'sub', 'exp', 'scope', 'aud'],
      currentDate: new Date(now * 1000),
    })
    if (verified.size >= maxVerified) verified.clear()
    verifiedTokens.set(keys, verified.set(token, Object.freeze(payload)))
    return payload
  } catch {
    return undefined
  }
}

/** Reports whether a token has the form of a JWT, which our opaque tokens never have. */
export const isStructured = (token: string): boolean => token.split('.').length === 3
