import { type JWTPayload, jwtVerify } from 'jose'
import { toInstant } from '../accounts/auth-time.ts'
import * as accounts from '../accounts/store.ts'
import type { Sql } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import { requireStorable } from '../http/foreign-json.ts'
import type { HttpClient } from '../http/http-client.ts'
import type { PresentedToken } from '../http/presented-token.ts'
import { createProviderKeys, type ProviderKeys, signingAlgorithms } from '../identity-providers/provider-keys.ts'
import { apiScope } from '../oauth/scopes.ts'
import * as orgs from '../orgs/store.ts'
import { findPictureHash } from '../profile/avatar-store.ts'
import * as roles from '../roles/store.ts'
import * as users from '../users/store.ts'
import { isValidPresentation } from './presentation.ts'

/**
 * Creates the reader of another issuer's tokens (`AUTHORITY`). It accepts tokens signed by that issuer for the audience
 * and scope of this API, of users who have linked their login there. Roles in the token are ignored.
 */
export function createForeignTokenReader(sql: Sql, httpClient: HttpClient, authority: string, audience: string) {
  let keys: Promise<ProviderKeys> | undefined
  const getKeys = () => {
    keys ??= discoverKeys(httpClient, authority).catch((error) => {
      keys = undefined
      throw error
    })
    return keys
  }
  return async (presented: PresentedToken): Promise<Caller | undefined> => {
    const claims = await verify(presented.token, await getKeys(), authority, audience)
    const { jkt } = (claims?.['cnf'] ?? {}) as { jkt?: string }
    if (!claims?.sub || !(await isValidPresentation(sql, presented, jkt))) return undefined
    const login = await accounts.findLogin(sql, authority, claims.sub)
    return login && loadCaller(sql, login.userId, login.providerId, claims)
  }
}

/**
 * Finds the published keys of an issuer (OpenID Connect Discovery 1.0, section 4). Throws if its identifier differs.
 */
async function discoverKeys(httpClient: HttpClient, authority: string) {
  const metadataUrl = `${authority.replace(/\/$/, '')}/.well-known/openid-configuration`
  const response = await httpClient.fetch(metadataUrl, { signal: AbortSignal.timeout(5000) })
  const { issuer, jwks_uri } = (await response.json()) as { issuer?: string; jwks_uri?: string }
  if (issuer !== authority || !jwks_uri) throw new Error(`AUTHORITY: ${metadataUrl} has a different issuer: ${issuer}`)
  return createProviderKeys(jwks_uri, httpClient.fetch)
}

async function verify(
  token: string,
  keys: ProviderKeys,
  issuer: string,
  audience: string,
): Promise<JWTPayload | undefined> {
  try {
    const options = { issuer, audience, algorithms: signingAlgorithms, requiredClaims: ['sub', 'exp'] }
    const { payload } = await keys.verifyWith((findKey) => jwtVerify(token, findKey, options))
    return String(payload['scope'] ?? '')
      .split(' ')
      .includes(apiScope)
      ? requireStorable(payload)
      : undefined
  } catch {
    return undefined
  }
}

async function loadCaller(sql: Sql, userId: string, idp: string, claims: JWTPayload): Promise<Caller | undefined> {
  const user = await users.find(sql, userId)
  if (!user || user.disabledAt !== null) return undefined
  return {
    id: userId,
    roles: new Set(await roles.listNames(sql, userId)),
    orgs: await orgs.listForUser(sql, userId),
    idp,
    authTime: toInstant(claims['auth_time']),
    name: user.displayName,
    username: user.username,
    email: user.email,
    pictureHash: await findPictureHash(sql, userId),
  }
}
