import { parseForeignJson } from '../http/foreign-json.ts'
import { lacksStatement, mergeUserInfo, needsUserInfo, type UserClaims } from './provider-choices.ts'
import type { RelyingParty } from './provider-clients.ts'
import { verifyJwtSignature } from './provider-keys.ts'

const timeoutMs = 5_000

/** User info that cannot be read, or is not about the user. */
export class UserInfoFailure extends Error {
  /** Another attempt may succeed. */
  readonly isTemporary: boolean
  constructor(message: string, { isTemporary = false, cause }: { isTemporary?: boolean; cause?: unknown } = {}) {
    super(`user info: ${message}`, { cause })
    this.name = 'UserInfoFailure'
    this.isTemporary = isTemporary
  }
}

/** Thrown for user info that must not be used. */
export class UserInfoMismatch extends UserInfoFailure {}

/** Claims with those of user info. */
interface CompletedClaims<C> {
  claims: C & UserClaims
  /** `read`, or why it was not read; undefined if it was not needed. */
  userInfo: 'read' | UserInfoFailure | undefined
}

/**
 * Adds user info to the claims of an ID token that lacks some. If the provider refuses it, the ID token has to suffice.
 * Throws `UserInfoMismatch`, `SignatureFailure`, and `UserInfoFailure` if the provider does not respond and more than the
 * username is missing.
 */
export async function addUserInfo<C extends UserClaims & { sub: string }>(
  party: RelyingParty,
  accessToken: string,
  claims: C,
): Promise<CompletedClaims<C>> {
  const { userinfo_endpoint: url } = party.metadata
  if (!url || !party.readsUserInfo || !needsUserInfo(party.metadata, claims)) return { claims, userInfo: undefined }
  try {
    const userInfo = await readUserInfo(party, url, accessToken)
    if (typeof userInfo['sub'] !== 'string') throw new UserInfoFailure('has no subject')
    // The response may have been swapped for that of another user (OpenID Connect Core, section 5.3.2).
    if (userInfo['sub'] !== claims.sub) throw new UserInfoMismatch('is about another subject than the ID token')
    return { claims: mergeUserInfo(claims, userInfo), userInfo: 'read' }
  } catch (error) {
    const isTolerated = error instanceof UserInfoFailure && !(error instanceof UserInfoMismatch)
    if (!isTolerated || (error.isTemporary && lacksStatement(claims))) throw error
    return { claims, userInfo: error }
  }
}

/** Requests user info: JSON, or a signed JWT (OpenID Connect Core, section 5.3). Throws like `addUserInfo`. */
async function readUserInfo(party: RelyingParty, url: string, accessToken: string): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${accessToken}`, accept: 'application/json, application/jwt' }
  const response = await party.httpClient
    .fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs) })
    .catch((cause: unknown) => {
      throw new UserInfoFailure('no response', { isTemporary: true, cause })
    })
  const isTemporary = response.status >= 500 || response.status === 429
  if (response.status !== 200) throw new UserInfoFailure(`status ${response.status}`, { isTemporary })
  if (/^application\/jwt\b/i.test(response.headers.get('content-type') ?? ''))
    return readSignedUserInfo(party, (await response.text()).trim())
  const userInfo: unknown = await response.json().catch((cause: unknown) => {
    throw new UserInfoFailure('is not usable JSON', { cause })
  })
  return requireObject(userInfo)
}

/** Verifies user info that is signed. Its issuer and audience are optional, but have to be right. */
async function readSignedUserInfo({ keys, metadata, registration }: RelyingParty, jwt: string) {
  const userInfo = requireObject(parseForeignJson(await verifyJwtSignature(keys, jwt)))
  const { iss = metadata.issuer, aud = registration.clientId } = userInfo
  if (iss !== metadata.issuer) throw new UserInfoMismatch('is of another issuer')
  if (![aud].flat().includes(registration.clientId)) throw new UserInfoMismatch('is for another client')
  return userInfo
}

function requireObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new UserInfoFailure('is not an object')
  return value as Record<string, unknown>
}
