import { includesAdminScope } from '@passport/contract/endpoint'
import { toInstant } from '../accounts/auth-time.ts'
import type { Clients } from '../clients/cache.ts'
import type { Sql } from '../database/sql.ts'
import type { Caller, ClientCaller } from '../http/caller.ts'
import type { PresentedToken } from '../http/presented-token.ts'
import { type AccessTokenClaims, readAccessToken } from '../oauth/access-token.ts'
import { apiScope } from '../oauth/scopes.ts'
import { type ClientTokens, findClientByClaims } from './client-token.ts'
import type { PassportIssuer } from './passport-issuer.ts'
import { isValidPresentation } from './presentation.ts'
import * as store from './store.ts'

interface Dependencies {
  sql: Sql
  clients: Clients
  clientTokens: ClientTokens
  issuer: Pick<PassportIssuer, 'keys'>
  publicUrl: string
}

/** Creates the reader of this issuer's access tokens: valid, for this API, and of an enabled user or client. */
export function createBearerReader({ sql, clients, clientTokens, issuer, publicUrl }: Dependencies) {
  return async (presented: PresentedToken): Promise<Caller | ClientCaller | undefined> => {
    const cached = presented.scheme === 'bearer' ? clientTokens.find(presented.token) : undefined
    if (cached) return cached
    const cache = clientTokens.begin(presented.token)
    const claims = await readAccessToken(presented.token, publicUrl, await issuer.keys())
    if (!claims || !(await isValidPresentation(sql, presented, claims.cnf?.jkt))) return undefined
    if (claims.scope.split(' ').includes(apiScope)) return findUserByClaims(sql, claims)
    const client = await findClientByClaims(sql, clients, claims)
    if (client && !claims.cnf && !includesAdminScope(claims.scope.split(' '))) cache(client, claims.exp)
    return client
  }
}

/** Returns the enabled user of a valid token. */
async function findUserByClaims(sql: Sql, claims: AccessTokenClaims): Promise<Caller | undefined> {
  const tokenCaller = await store.findTokenCaller(sql, claims.jti)
  if (!tokenCaller) return undefined
  return {
    id: tokenCaller.userId,
    roles: new Set(tokenCaller.roles),
    orgs: tokenCaller.orgs,
    idp: 'passport',
    authTime: toInstant(claims.auth_time),
    name: tokenCaller.displayName,
    username: tokenCaller.username,
    email: tokenCaller.email,
    pictureHash: tokenCaller.pictureHash,
  }
}
