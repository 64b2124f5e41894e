import { createLocalJWKSet, importJWK, jwtVerify, SignJWT } from 'jose'
import { type SigningJwk, toPublicJwk } from './keys.ts'

/** The scope of the company's APIs, including this one. */
export const apiScope = 'api_vertex_core'

/** Returns the audience of tokens for this API. */
export const audienceOf = (publicUrl: string): string => `${publicUrl}/passport`

/** The claims of an access token (RFC 9068). The token is valid as long as the artifact with the id `jti` exists. */
export interface AccessTokenClaims {
  jti: string
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
}

/** Signs an access token as a JWT of the type `at+jwt`, with the current signing key. */
export async function signAccessToken(
  claims: AccessTokenClaims,
  publicUrl: string,
  keys: SigningJwk[],
): Promise<string> {
  const key = keys.find(({ alg }) => alg === 'ES256')
  if (!key) throw new Error('No ES256 key signs')
  return new SignJWT({ ...claims, iss: publicUrl, aud: audienceOf(publicUrl) })
    .setProtectedHeader({ alg: 'ES256', kid: key.kid, typ: 'at+jwt' })
    .sign(await importJWK(key, 'ES256'))
}

/** Verifies an access token of this issuer and returns its claims; undefined if it is invalid or expired. */
export async function readAccessToken(
  token: string,
  publicUrl: string,
  keys: SigningJwk[],
): Promise<AccessTokenClaims | undefined> {
  const publicKeys = createLocalJWKSet({ keys: keys.map(toPublicJwk) })
  try {
    const { payload } = await jwtVerify<AccessTokenClaims>(token, publicKeys, {
      issuer: publicUrl,
      audience: audienceOf(publicUrl),
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
