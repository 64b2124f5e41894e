import { type AccessToken, type Client as ClientOf, errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { Sql } from '../database/sql.ts'
import type { IdentityApis } from '../identity-apis/cache.ts'
import { canIntrospect, findApisWithScopes, scopeNamesOf } from '../identity-apis/scopes.ts'
import { OAuthError } from '../oauth/oauth-error.ts'
import { lifetimeOf, requireApi, userScopesOf } from '../oauth/resources.ts'
import * as users from '../users/store.ts'

/** Configures the library for the identity APIs: the resource servers, and who may introspect their tokens. */
export function createResourceRules(sql: Sql, apis: IdentityApis) {
  return {
    resourceIndicators: { enabled: true, defaultResource, useGrantedResource: () => true, getResourceServerInfo },
    mayIntrospect,
  }

  /**
   * Returns the resources of a request that names none: the APIs of its scopes.
   */
  async function defaultResource(ctx: KoaContextWithOIDC) {
    const all = await apis.list()
    return toOne(findApisWithScopes(all, ctx.oidc.requestParamScopes).map(({ audience }) => audience))
  }

  /** Throws `invalid_target`, and `invalid_scope` if a request has no scope of the API. */
  async function getResourceServerInfo(ctx: KoaContextWithOIDC, resource: string, { clientId }: ClientOf) {
    const api = await withLibraryErrors(async () => requireApi(await apis.list(), resource, clientId))
    const requested = [...ctx.oidc.requestParamScopes]
    // Users consent to scopes, so an authorization without one must not lead to a token for the API.
    if (!requested.some((scope) => scopeNamesOf(api).includes(scope)))
      throw new errors.InvalidScope('a scope of the resource is required', '')
    const scopes = userScopesOf(api)
    return {
      scope: scopes.join(' '),
      audience: api.audience,
      accessTokenTTL: lifetimeOf(api, scopes),
      accessTokenFormat: 'opaque' as const,
    }
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

/** Converts the refusals of a rule to those of the library. */
async function withLibraryErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof OAuthError ? new errors.CustomOIDCProviderError(error.code, error.message) : error
  }
}
