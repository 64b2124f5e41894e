import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose'
import * as accounts from '../accounts/store.ts'
import type { Sql } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import type { Presented } from '../http/presented-token.ts'
import * as orgs from '../orgs/store.ts'
import * as roles from '../roles/store.ts'
import { instantOf } from '../sessions/auth-time.ts'
import * as users from '../users/store.ts'
import { apiScope } from './access-token.ts'
import { isPresentedRightly } from './dpop.ts'

const algorithms = ['ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512', 'EdDSA', 'Ed25519']

/**
 * Lets the tokens of another issuer in, where the configuration names one (`AUTHORITY`): signed by it, for the audience
 * of this API, with its scope, and of a person who has linked that login. What it says of roles does not count.
 */
export function foreignTokens(sql: Sql, authority: string, audience: string) {
  let keys: Promise<ReturnType<typeof createRemoteJWKSet>> | undefined
  const keysOf = () => {
    keys ??= discoverKeys(authority).catch((error) => {
      keys = undefined
      throw error
    })
    return keys
  }
  return async (presented: Presented): Promise<Caller | undefined> => {
    const claims = await verify(presented.token, await keysOf(), authority, audience)
    const { jkt } = (claims?.['cnf'] ?? {}) as { jkt?: string }
    if (!claims?.sub || !(await isPresentedRightly(sql, presented, jkt))) return undefined
    const login = await accounts.findLogin(sql, authority, claims.sub)
    return login && callerOf(sql, login.userId, login.providerId, claims)
  }
}

/** The published keys of an issuer (OpenID Connect Discovery 1.0, section 4), which must be the one that was asked. */
async function discoverKeys(authority: string) {
  const address = `${authority.replace(/\/$/, '')}/.well-known/openid-configuration`
  const response = await fetch(address, { signal: AbortSignal.timeout(5000) })
  const { issuer, jwks_uri } = (await response.json()) as { issuer?: string; jwks_uri?: string }
  if (issuer !== authority || !jwks_uri) throw new Error(`AUTHORITY: ${address} is of another issuer: ${issuer}`)
  return createRemoteJWKSet(new URL(jwks_uri))
}

async function verify(
  token: string,
  keys: ReturnType<typeof createRemoteJWKSet>,
  issuer: string,
  audience: string,
): Promise<JWTPayload | undefined> {
  try {
    const { payload } = await jwtVerify(token, keys, { issuer, audience, algorithms, requiredClaims: ['sub', 'exp'] })
    return String(payload['scope'] ?? '')
      .split(' ')
      .includes(apiScope)
      ? payload
      : undefined
  } catch {
    return undefined
  }
}

async function callerOf(sql: Sql, userId: string, idp: string, claims: JWTPayload): Promise<Caller | undefined> {
  const user = await users.find(sql, userId)
  if (!user || user.disabledAt !== null) return undefined
  return {
    id: userId,
    roles: new Set(await roles.namesOf(sql, userId)),
    orgs: await orgs.listOf(sql, userId),
    idp,
    authTime: instantOf(claims['auth_time']),
    name: user.displayName,
    username: user.username,
    email: user.email,
  }
}
