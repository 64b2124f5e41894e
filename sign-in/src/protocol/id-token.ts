import { base64url, type CompactVerifyGetKey, compactVerify } from 'jose'
import { nowInSeconds } from '../clock.ts'
import { SigninError, type SigninErrorCode, signinError } from '../errors.ts'
import type { Metadata, Settings } from '../settings.ts'
import type { Profile } from '../user.ts'

/** The claims of an ID token (OpenID Connect Core, section 2). */
export interface IdTokenClaims {
  iss: string
  sub: string
  aud: string | string[]
  exp: number
  iat: number
  nbf?: number
  auth_time?: number
  nonce?: string
  azp?: string
  [claim: string]: unknown
}

/** What an ID token is held against. */
export interface ExpectedIdToken {
  issuer: string
  clientId: string
  /** Of the request; on a refresh of the first token, if that is known (OpenID Connect Core, section 12.2). */
  nonce: string | undefined
  /** On a refresh: the profile that the token has to belong to. */
  renews?: Profile
  /** How far clocks may be apart, s. */
  clockSkew: number
  algorithms: string[]
}

const asymmetric = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

/** The expectations that metadata and settings give; signatures by a shared secret, or none, are never among them. */
export function expectedIdToken(
  { issuer, id_token_signing_alg_values_supported: supported }: Metadata,
  { client_id, clockSkew }: Pick<Settings, 'client_id' | 'clockSkew'>,
): Omit<ExpectedIdToken, 'nonce'> {
  const algorithms = asymmetric.filter((algorithm) => supported?.includes(algorithm) ?? true)
  return { issuer, clientId: client_id, clockSkew, algorithms }
}

/**
 * The one gate for ID tokens of every flow: signature, then on a refresh the comparison with the first token, then
 * everything of OpenID Connect Core, section 3.1.3.7. Rejects with `invalid_id_token`, the reason being its `cause`, with
 * the code of the comparison that failed, or with what kept the keys from being loaded.
 */
export async function verifyIdToken(
  idToken: string,
  keys: CompactVerifyGetKey,
  expected: ExpectedIdToken,
): Promise<IdTokenClaims> {
  const claims = await signedClaims(idToken, keys, expected.algorithms).catch((error) => {
    throw error instanceof SigninError ? error : signinError('invalid_id_token', error)
  })
  const change = expected.renews && changeSince(expected.renews, claims)
  if (change) throw signinError(change)
  const fault = faultIn(claims, expected)
  if (fault) throw signinError('invalid_id_token', new Error(fault))
  return claims as IdTokenClaims
}

/** The claims of a JWT, whatever they are. Rejects with what `jose` throws where the signature is not right. */
export async function signedClaims(
  jwt: string,
  keys: CompactVerifyGetKey,
  algorithms: string[],
): Promise<Partial<IdTokenClaims>> {
  const { payload } = await compactVerify(jwt, keys, { algorithms })
  return claimsIn(payload)
}

/** How a token differs from the one that somebody signed in with; undefined where it does not (OpenID Connect Core, section 12.2). */
export function changeSince(profile: Profile, claims: Partial<IdTokenClaims>): SigninErrorCode | undefined {
  if (claims.sub !== profile.sub) return 'sub_changed'
  if (claims.auth_time !== undefined && claims.auth_time !== profile.auth_time) return 'auth_time_changed'
  if (claims.azp && claims.azp !== profile.azp) return 'azp_changed'
  if (!claims.azp && profile.azp) return 'azp_missing'
  return undefined
}

/** What is wrong with the claims, in words; undefined where nothing is. */
export function faultIn(claims: Partial<IdTokenClaims>, expected: ExpectedIdToken): string | undefined {
  const { iss, sub, aud, azp, iat, nbf, exp, nonce } = claims
  const earliest = nowInSeconds() - expected.clockSkew
  const latest = nowInSeconds() + expected.clockSkew
  const audiences = [aud].flat()
  if (iss !== expected.issuer) return 'iss is another issuer'
  if (!audiences.includes(expected.clientId)) return 'aud is another client'
  if (azp === undefined ? audiences.length > 1 : azp !== expected.clientId) return 'azp is not this client'
  if (!sub || typeof sub !== 'string') return 'sub is missing'
  if (!isTime(iat) || iat > latest) return 'iat is missing or in the future'
  if (nbf !== undefined && (!isTime(nbf) || nbf > latest)) return 'nbf is in the future'
  if (!isTime(exp) || exp < earliest) return 'exp is missing or in the past'
  const isNonceLeftOut = expected.renews && nonce === undefined
  if (expected.nonce !== undefined && nonce !== expected.nonce && !isNonceLeftOut) return 'nonce is another one'
  return undefined
}

/** JSON can hold numbers that are infinite here, such as 1e999. */
const isTime = (value: unknown): value is number => Number.isFinite(value)

/** What is no object has no claims. */
const claimsIn = (payload: Uint8Array): Partial<IdTokenClaims> => Object(JSON.parse(new TextDecoder().decode(payload)))

/** What a token says of itself; nothing where it cannot be read. Nobody has verified it. */
export function unverifiedClaims(idToken: string | undefined): Partial<IdTokenClaims> {
  try {
    return claimsIn(base64url.decode(idToken?.split('.')[1] ?? ''))
  } catch {
    return {}
  }
}
