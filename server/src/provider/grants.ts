import type { Grant, KoaContextWithOIDC } from 'oidc-provider'
import * as consents from '../accounts/consent-store.ts'
import * as audit from '../audit/store.ts'
import type { Clients } from '../clients/cache.ts'
import type { Sql } from '../database/sql.ts'
import type { Visit } from '../http/visit.ts'
import { noteEvent, noteSignIn, type RequestReader } from './request-state.ts'

/**
 * Returns the grant of a client, extended by the requested scopes that need no consent: those that the user granted
 * before, or all of them for the operator's own clients. Undefined if there is no grant and no such scope.
 */
export async function findOrExtendGrant(
  sql: Sql,
  clients: Clients,
  reader: RequestReader,
  ctx: KoaContextWithOIDC,
): Promise<Grant | undefined> {
  const { client, session, provider, account, result } = ctx.oidc
  if (!client || !session || !account) throw new Error('A grant requires a client and a user')
  const grantId = result?.consent?.grantId ?? session.grantIdFor(client.clientId)
  const storedGrant = grantId ? await provider.Grant.find(grantId) : undefined
  const allowed = await findAllowedScopes(sql, clients, ctx, client.clientId, account.accountId)
  if (allowed.size === 0) return storedGrant
  const grant = storedGrant ?? new provider.Grant({ accountId: account.accountId, clientId: client.clientId })
  const scopesBefore = formatScopes(grant)
  grant.addOIDCScope([...ctx.oidc.requestParamOIDCScopes].filter((scope) => allowed.has(scope)).join(' '))
  for (const [resource, { scopes }] of Object.entries(ctx.oidc.resourceServers ?? {}))
    grant.addResourceScope(resource, [...allowed].filter((scope) => scopes.has(scope)).join(' '))
  if (storedGrant && formatScopes(grant) === scopesBefore) return grant
  const savedId = await grant.save()
  const caller = await reader.findCaller(ctx)
  if (caller?.userId === account.accountId) noteSignIn(ctx, savedId, caller)
  const event = toAuthorizationEvent(account.accountId, client.clientId, formatScopes(grant))
  if (!noteEvent(ctx, event)) await audit.record(sql, event)
  return grant
}

/** Returns the scopes that need no consent. */
async function findAllowedScopes(
  sql: Sql,
  clients: Clients,
  ctx: KoaContextWithOIDC,
  clientId: string,
  userId: string,
) {
  const requested = new Set(ctx.oidc.requestParamScopes)
  const consent = (await clients.find(clientId))?.consent
  if (consent === 'skip') return requested
  if (consent !== 'once') return new Set<string>()
  const allowed = await consents.use(sql, userId, clientId)
  return new Set(allowed?.filter((scope) => requested.has(scope)))
}

export const recordAuthorization = (sql: Sql, userId: string, clientId: string, scopes: string, visit?: Visit) =>
  audit.record(sql, { ...toAuthorizationEvent(userId, clientId, scopes), ...(visit && { visit }) })

/** Creates the event of a user's grant to a client; `scopes` are separated by spaces. */
export const toAuthorizationEvent = (userId: string, clientId: string, scopes: string): audit.AuditEvent => ({
  action: 'client.authorized',
  actorId: userId,
  target: { kind: 'user', id: userId },
  after: { client: clientId, scopes },
})

/** Returns all scopes of a grant, each once, separated by spaces. */
export function formatScopes(grant: Grant): string {
  const ofResources = Object.keys(grant.resources ?? {}).map((resource) => grant.getResourceScope(resource))
  const names = [grant.getOIDCScope(), ...ofResources].flatMap((scopes) => scopes.split(' '))
  return [...new Set(names.filter(Boolean))].join(' ')
}
