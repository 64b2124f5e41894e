import { builtInApiName } from '@passport/contract/identity-apis'
import { createLocalJWKSet, importJWK, jwtVerify, SignJWT } from 'jose'
import { type SigningJwk, toPublicJwk } from './keys.ts'

/** The scope of the company's APIs, including this one. */
export const apiScope = builtInApiName

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

/** Signs an access token as a JWT of the type `at+jwt`, with the current signing key. */
export async function signAccessToken(
  claims: AccessTokenClaims,
  publicUrl: string,
  keys: SigningJwk[],
): Promise<string> {
  const { key, header } = chooseKey(keys)
  return new SignJWT({ ...claims, iss: publicUrl }).setProtectedHeader(header).sign(await importJWK(key, 'ES256'))
}

/** Returns the key that signs access tokens, and the header of the tokens. */
export function chooseKey(keys: SigningJwk[]) {
  const key = keys.find(({ alg }) => alg === 'ES256')
  if (!key) throw new Error('No ES256 key signs')
  return { key, header: { alg: 'ES256', kid: key.kid, typ: 'at+jwt' } }
}

/**
 * Verifies an access token of this issuer and returns its claims; undefined if it is invalid, expired, or for another
 * API than this one, unless `isForAnyApi`.
 */
export async function readAccessToken(
  token: string,
  publicUrl: string,
  keys: SigningJwk[],
  { isForAnyApi = false } = {},
): Promise<AccessTokenClaims | undefined> {
  const publicKeys = createLocalJWKSet({ keys: keys.map(toPublicJwk) })
  try {
    const { payload } = await jwtVerify<AccessTokenClaims>(token, publicKeys, {
      issuer: publicUrl,
      ...(!isForAnyApi && { audience: audienceOf(publicUrl) }),
      typ: 'at+jwt',
      algorithms: ['ES256'],
      requiredClaims: ['jti', 'sub', 'exp', 'scope'],
    })
    return payload
  } catch {
    return undefined
  }
}

/** Reports whether a token has the form of a JWT, which our opaque tokens never have. */
export const isStructured = (token: string): boolean => token.split('.').length === 3
