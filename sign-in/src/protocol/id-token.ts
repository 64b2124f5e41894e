import { type CompactVerifyGetKey, compactVerify } from 'jose'
import { decode, encode } from 'jose/base64url'
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

/** The expectations an ID token is validated against. */
export interface ExpectedIdToken {
  issuer: string
  clientId: string
  /** The nonce of the request; on a refresh, that of the first token, if known (OpenID Connect Core, section 12.2). */
  nonce: string | undefined
  /** On a refresh: the profile that the token must belong to. */
  renews?: Profile
  /** The access token that came with the ID token. */
  accessToken?: string | undefined
  /** The tolerated clock difference, in seconds. */
  clockSkew: number
  algorithms: string[]
}

const asymmetric = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

/** Derives the expectations from metadata and settings; shared-secret signatures and `none` are never allowed. */
export function deriveExpectedIdToken(
  { issuer, id_token_signing_alg_values_supported: supported }: Metadata,
  { client_id, clockSkew }: Pick<Settings, 'client_id' | 'clockSkew'>,
): Omit<ExpectedIdToken, 'nonce'> {
  const algorithms = asymmetric.filter((algorithm) => supported?.includes(algorithm) ?? true)
  return { issuer, clientId: client_id, clockSkew, algorithms }
}

/**
 * Verifies the ID tokens of every flow: the signature; on a refresh, the comparison with the first token; all of OpenID
 * Connect Core, section 3.1.3.7; then the hash of the access token, if present (section 3.1.3.8). Rejects with
 * `invalid_id_token` and the reason as `cause`, with the code of the failed comparison, or with the error that
 * prevented loading the keys.
 */
export async function verifyIdToken(
  idToken: string,
  keys: CompactVerifyGetKey,
  expected: ExpectedIdToken,
): Promise<IdTokenClaims> {
  const { claims, algorithm } = await verifySignature(idToken, keys, expected.algorithms).catch((error) => {
    throw error instanceof SigninError ? error : signinError('invalid_id_token', error)
  })
  const change = expected.renews && findChangedClaim(expected.renews, claims)
  if (change) throw signinError(change)
  const claimError = findClaimError(claims, expected)
  if (claimError) throw signinError('invalid_id_token', new Error(claimError))
  const { accessToken } = expected
  if (
    accessToken &&
    claims['at_hash'] !== undefined &&
    claims['at_hash'] !== (await hashLeftHalf(accessToken, algorithm))
  ) {
    throw signinError('invalid_id_token', new Error('at_hash does not match the access token'))
  }
  return claims as IdTokenClaims
}

/** Returns the unvalidated claims of a JWT. Rejects with the error of `jose` if the signature is invalid. */
export async function verifySignature(
  jwt: string,
  keys: CompactVerifyGetKey,
  algorithms: string[],
): Promise<{ claims: Partial<IdTokenClaims>; algorithm: string }> {
  const { payload, protectedHeader } = await compactVerify(jwt, keys, { algorithms })
  return { claims: parseClaims(payload), algorithm: protectedHeader.alg }
}

/** Returns the left half of the digest of a signature algorithm; Ed25519 uses SHA-512. */
async function hashLeftHalf(text: string, algorithm: string): Promise<string> {
  const bits = /256$|384$/.exec(algorithm)?.[0] ?? '512'
  const digest = await crypto.subtle.digest(`SHA-${bits}`, new TextEncoder().encode(text))
  return encode(new Uint8Array(digest, 0, digest.byteLength / 2))
}

/**
 * Compares a renewed token with that of the sign-in. Returns the code of the first difference; undefined if there is
 * none (OpenID Connect Core, section 12.2).
 */
export function findChangedClaim(profile: Profile, claims: Partial<IdTokenClaims>): SigninErrorCode | undefined {
  if (claims.sub !== profile.sub) return 'sub_changed'
  if (claims.auth_time !== undefined && claims.auth_time !== profile.auth_time) return 'auth_time_changed'
  if (claims.azp && claims.azp !== profile.azp) return 'azp_changed'
  if (!claims.azp && profile.azp) return 'azp_missing'
  return undefined
}

/** Returns the first error in the claims, in words; undefined if they are valid. */
export function findClaimError(claims: Partial<IdTokenClaims>, expected: ExpectedIdToken): string | undefined {
  const { iss, sub, aud, azp, iat, nbf, exp, nonce } = claims
  const earliest = nowInSeconds() - expected.clockSkew
  const latest = nowInSeconds() + expected.clockSkew
  const audiences = [aud].flat()
  if (iss !== expected.issuer) return 'iss does not match the issuer'
  if (!audiences.includes(expected.clientId)) return 'aud does not include the client_id'
  if (azp === undefined ? audiences.length > 1 : azp !== expected.clientId) return 'azp does not match the client_id'
  if (!sub || typeof sub !== 'string') return 'sub is missing'
  if (!isTime(iat) || iat > latest) return 'iat is missing or in the future'
  if (nbf !== undefined && (!isTime(nbf) || nbf > latest)) return 'nbf is in the future'
  if (!isTime(exp) || exp < earliest) return 'exp is missing or in the past'
  const isNonceOmitted = expected.renews && nonce === undefined
  if (expected.nonce !== undefined && nonce !== expected.nonce && !isNonceOmitted) return 'nonce does not match'
  return undefined
}

/** JSON numbers such as 1e999 parse as infinite. */
const isTime = (value: unknown): value is number => Number.isFinite(value)

/** A payload that is not an object has no claims. */
const parseClaims = (payload: Uint8Array): Partial<IdTokenClaims> =>
  Object(JSON.parse(new TextDecoder().decode(payload)))

/** Returns the claims of a token without verification; empty if unreadable. */
export function readUnverifiedClaims(idToken: string | undefined): Partial<IdTokenClaims> {
  try {
    return parseClaims(decode(idToken?.split('.')[1] ?? ''))
  } catch {
    return {}
  }
}
