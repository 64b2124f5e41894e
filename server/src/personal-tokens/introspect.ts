import type { Clients } from '../clients/cache.ts'
import type { Sql } from '../database/sql.ts'
import type { Visit } from '../http/visit.ts'
import type { IdentityApis } from '../identity-apis/cache.ts'
import { findApisWithScopes } from '../identity-apis/scopes.ts'
import { personalTokenForm } from '../prefixed-token.ts'
import { pickScopesFor } from './scopes.ts'
import * as store from './store.ts'

interface Dependencies {
  sql: Sql
  clients: Clients
  apis: IdentityApis
  publicUrl: string
}

const toSeconds = (instant: string) => Math.floor(Date.parse(instant) / 1000)

/**
 * Describes a personal token to an application that received it (RFC 7662, section 2.2), with the current roles of its
 * user; undefined if the token is invalid, or has no scope of an API of that application, or the application has changed
 * since it was cached.
 */
async function introspectPersonalToken(
  { sql, clients, apis, publicUrl }: Dependencies,
  { token, clientId, visit }: { token: string; clientId: string; visit: Pick<Visit, 'ip'> },
): Promise<Record<string, unknown> | undefined> {
  const client = await clients.find(clientId)
  const found = client && personalTokenForm.isWellFormed(token) ? await store.findCaller(sql, token, client) : undefined
  const all = await apis.list()
  const scopes = client && found ? pickScopesFor(all, client, found.scopes) : []
  if (!found || scopes.length === 0) return undefined
  await store.recordUse(sql, { id: found.tokenId, lastUsedAt: found.lastUsedAt }, visit.ip, clientId)
  const audiences = findApisWithScopes(all, scopes).map(({ audience }) => audience)
  return {
    active: true,
    token_use: 'personal',
    token_type: 'Bearer',
    iss: publicUrl,
    aud: audiences.length === 1 ? audiences[0] : audiences,
    sub: found.userId,
    ...(found.username !== null && { username: found.username }),
    scope: scopes.join(' '),
    roles: found.roles,
    orgs: found.orgs.map(({ id }) => id),
    iat: toSeconds(found.createdAt),
    exp: toSeconds(found.expiresAt),
    jti: found.tokenId,
  }
}

/** Returns the response to the introspection of a personal token by a client; undefined if it is not active for it. */
export type IntrospectPersonalToken = ReturnType<typeof createPersonalTokenIntrospection>

/** Creates the introspection of personal tokens; see `introspectPersonalToken`. */
export const createPersonalTokenIntrospection =
  (dependencies: Dependencies) => (request: Parameters<typeof introspectPersonalToken>[1]) =>
    introspectPersonalToken(dependencies, request)
