import type { Grant, KoaContextWithOIDC } from 'oidc-provider'
import * as audit from '../audit/store.ts'
import type { Clients } from '../clients/cache.ts'
import * as consents from '../consents/store.ts'
import type { Sql } from '../database/sql.ts'
import type { Visit } from '../http/visit.ts'
import { loginOfProviderSession } from '../sessions/store.ts'
import { noteLoginOfGrant } from './store.ts'

/**
 * What a client may do in the request at hand, as far as nobody need be asked: what the person allowed it before, or all
 * that it asks for where it is the operator's own. None where nothing is known; then the person is asked.
 */
export async function grantOf(sql: Sql, clients: Clients, ctx: KoaContextWithOIDC): Promise<Grant | undefined> {
  const { client, session, provider, account, result } = ctx.oidc
  if (!client || !session || !account) throw new Error('A grant needs a client and a person')
  const grantId = result?.consent?.grantId ?? session.grantIdFor(client.clientId)
  const existing = grantId ? await provider.Grant.find(grantId) : undefined
  const allowed = await allowedBefore(sql, clients, ctx, client.clientId, account.accountId)
  if (allowed.size === 0) return existing
  const grant = existing ?? new provider.Grant({ accountId: account.accountId, clientId: client.clientId })
  const before = scopesOf(grant)
  grant.addOIDCScope([...ctx.oidc.requestParamOIDCScopes].filter((scope) => allowed.has(scope)).join(' '))
  for (const [resource, { scopes }] of Object.entries(ctx.oidc.resourceServers ?? {}))
    grant.addResourceScope(resource, [...allowed].filter((scope) => scopes.has(scope)).join(' '))
  if (existing && scopesOf(grant) === before) return grant
  await noteLoginOfGrant(sql, await grant.save(), await loginOfProviderSession(sql, session.uid))
  await recordAuthorized(sql, account.accountId, client.clientId, scopesOf(grant))
  return grant
}

/** Of the scopes that are asked for, those that need no question. */
async function allowedBefore(sql: Sql, clients: Clients, ctx: KoaContextWithOIDC, clientId: string, userId: string) {
  const requested = new Set(ctx.oidc.requestParamScopes)
  const consent = (await clients.find(clientId))?.consent
  if (consent === 'skip') return requested
  if (consent !== 'once') return new Set<string>()
  const allowed = await consents.use(sql, userId, clientId)
  return new Set(allowed?.filter((scope) => requested.has(scope)))
}

export const recordAuthorized = (sql: Sql, userId: string, clientId: string, scopes: string, visit?: Visit) =>
  audit.record(sql, {
    ...(visit && { visit }),
    action: 'client.authorized',
    actorId: userId,
    target: { kind: 'user', id: userId },
    after: { client: clientId, scopes },
  })

/** All that a grant allows, with blanks between. */
export const scopesOf = (grant: Grant): string =>
  [grant.getOIDCScope(), ...Object.keys(grant.resources ?? {}).map((resource) => grant.getResourceScope(resource))]
    .join(' ')
    .trim()
