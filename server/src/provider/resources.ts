import type { IdentityApi } from '@passport/contract/identity-apis'
import { type AccessToken, type Client as ClientOf, errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { Clients } from '../clients/cache.ts'
import { clientCredentialsGrant } from '../clients/grant-types.ts'
import type { Sql } from '../database/sql.ts'
import type { IdentityApis } from '../identity-apis/cache.ts'
import { admits, canIntrospect, findApisWithScopes, scopeNamesOf } from '../identity-apis/scopes.ts'
import { clientScopesOf, findApisForClient, lifetimeOf, userScopesOf } from '../oauth/resources.ts'
import * as users from '../users/store.ts'

const isClientCredentials = ({ oidc }: KoaContextWithOIDC): boolean =>
  oidc.params?.['grant_type'] === clientCredentialsGrant

/** Throws `invalid_target` (RFC 8707, section 2) if a client gets no tokens of an API. */
export function requireAdmitted(api: IdentityApi, clientId: string): void {
  if (!api.enabled) throw new errors.InvalidTarget('the API is disabled')
  if (!admits(api, clientId)) throw new errors.InvalidTarget('the API does not allow this client')
}

/** Throws `invalid_scope` for a requested scope that is not allowed, or without any (RFC 6749, section 5.2). */
export function requireScopes(requested: string[], allowed: string[]): void {
  const disallowed = requested.find((scope) => !allowed.includes(scope))
  if (disallowed !== undefined) throw new errors.InvalidScope('requested scope is not allowed', disallowed)
  if (requested.length === 0) throw new errors.InvalidScope('scope is required', '')
}

/** Configures the library for the identity APIs: the resource servers, and who may introspect their tokens. */
export function createResourceRules(sql: Sql, apis: IdentityApis, clients: Clients) {
  return {
    resourceIndicators: { enabled: true, defaultResource, useGrantedResource: () => true, getResourceServerInfo },
    mayIntrospect,
  }

  /**
   * Returns the resources of a request that names none: the APIs of its scopes. Of several that were granted, a token
   * is for the first. A client's own token is for Passport's API, unless it has scopes of another one.
   */
  async function defaultResource(ctx: KoaContextWithOIDC, _client: ClientOf, resources?: readonly string[]) {
    if (resources) return resources[0] ?? []
    const all = await apis.list()
    const find = isClientCredentials(ctx) ? findApisForClient : findApisWithScopes
    return toOne(find(all, ctx.oidc.requestParamScopes).map(({ audience }) => audience))
  }

  async function getResourceServerInfo(ctx: KoaContextWithOIDC, resource: string, { clientId }: ClientOf) {
    const api = (await apis.list()).find(({ audience }) => audience === resource)
    if (!api) throw new errors.InvalidTarget('the resource is unknown')
    requireAdmitted(api, clientId)
    const scopes = await findScopes(ctx, api, clientId)
    return {
      scope: scopes.join(' '),
      audience: api.audience,
      accessTokenTTL: lifetimeOf(api, scopes),
      accessTokenFormat: 'opaque' as const,
    }
  }

  /** Returns the scopes that a request may have for an API. Throws `invalid_scope` if it has none of them. */
  async function findScopes(ctx: KoaContextWithOIDC, api: IdentityApi, clientId: string): Promise<string[]> {
    const requested = [...ctx.oidc.requestParamScopes]
    if (isClientCredentials(ctx)) {
      requireScopes(requested, clientScopesOf(api, await clients.find(clientId)))
      return requested
    }
    // Users consent to scopes, so an authorization without one must not lead to a token for the API.
    if (ctx.oidc.route !== 'token' && !requested.some((scope) => scopeNamesOf(api).includes(scope)))
      throw new errors.InvalidScope('a scope of the resource is required', '')
    return userScopesOf(api)
  }

  /**
   * Reports whether a client may introspect a token: its own, or an access token of an API that it is a server of. The
   * user and the client of the token must be enabled.
   */
  async function mayIntrospect(
    { oidc }: KoaContextWithOIDC,
    client: ClientOf,
    token: { clientId?: string | undefined; accountId?: string },
  ) {
    const user = token.accountId === undefined ? undefined : await users.find(sql, token.accountId)
    if (token.accountId !== undefined && user?.disabledAt !== null) return false
    if (token.clientId === client.clientId) return true
    // The library fails on a token of a client that it does not find.
    if (!(await oidc.provider.Client.find(token.clientId ?? ''))) return false
    const { aud } = token as Partial<AccessToken>
    const api = (await apis.list()).find(({ audience }) => audience === aud)
    const isConfidential = client.clientAuthMethod !== 'none'
    return api !== undefined && canIntrospect(api, { clientId: client.clientId, isConfidential })
  }
}

const toOne = (resources: string[]) => (resources.length === 1 && resources[0] ? resources[0] : resources)
