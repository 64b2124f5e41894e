import type { Clients } from '../clients/cache.ts'
import type { Sql } from '../database/sql.ts'
import type { Caller, ClientCaller } from '../http/caller.ts'
import type { Presented } from '../http/presented-token.ts'
import { instantOf } from '../sessions/auth-time.ts'
import { type AccessTokenClaims, apiScope, readAccessToken } from './access-token.ts'
import { clientByClaims, createTokenMemory } from './client-token.ts'
import { isPresentedRightly } from './dpop.ts'
import type { Issuer } from './issuer.ts'
import * as store from './store.ts'

interface Given {
  sql: Sql
  clients: Clients
  issuer: Issuer
  publicUrl: string
}

/** Tells whom an access token of ours speaks for: signed by us, alive, for this API, and they still good. */
export function bearerReader({ sql, clients, issuer, publicUrl }: Given) {
  const memory = createTokenMemory()
  return async (presented: Presented): Promise<Caller | ClientCaller | undefined> => {
    const recalled = presented.scheme === 'bearer' ? memory.recall(presented.token) : undefined
    if (recalled) return recalled
    const claims = await readAccessToken(presented.token, publicUrl, await issuer.keys())
    if (!claims || !(await isPresentedRightly(sql, presented, claims.cnf?.jkt))) return undefined
    if (claims.scope.split(' ').includes(apiScope)) return personByClaims(sql, claims)
    const client = await clientByClaims(sql, clients, claims)
    if (client && !claims.cnf) memory.remember(presented.token, client, claims.exp)
    return client
  }
}

/** The enabled person that a living token speaks for. */
async function personByClaims(sql: Sql, claims: AccessTokenClaims): Promise<Caller | undefined> {
  const person = await store.findTokenCaller(sql, claims.jti)
  if (!person) return undefined
  return {
    id: person.userId,
    roles: new Set(person.roles),
    orgs: person.orgs,
    idp: 'passport',
    authTime: instantOf(claims.auth_time),
    name: person.displayName,
    username: person.username,
    email: person.email,
  }
}
