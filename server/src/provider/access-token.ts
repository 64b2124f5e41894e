import { createLocalJWKSet, importJWK, jwtVerify, SignJWT } from 'jose'
import { publicPart, type SigningJwk } from './keys.ts'

/** The scope that opens the company's APIs, this one included. */
export const apiScope = 'api_vertex_core'

/** The built-in API resource: the audience of its tokens. */
export const audienceOf = (publicUrl: string): string => `${publicUrl}/passport`

/** What an access token says (RFC 9068). `jti` names the row by which it is found to be alive. */
export interface AccessTokenClaims {
  jti: string
  sub: string
  client_id: string
  scope: string
  iat: number
  exp: number
  roles: string[]
  orgs: string[]
  /** When the person last proved who they are; seconds. */
  auth_time?: number
  /** The key that whoever presents it must hold (RFC 9449, section 6). */
  cnf?: { jkt: string }
  sid?: string
}

/** Signs an access token as a JWT of the type `at+jwt`, with the key that signs now. */
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

/** The claims of an access token of ours that has not expired; undefined for anything else. */
export async function readAccessToken(
  token: string,
  publicUrl: string,
  keys: SigningJwk[],
): Promise<AccessTokenClaims | undefined> {
  const publicKeys = createLocalJWKSet({ keys: keys.map(publicPart) })
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

/** Whether something has the form of a JWT, as our opaque tokens never have. */
export const isStructured = (token: string): boolean => token.split('.').length === 3
