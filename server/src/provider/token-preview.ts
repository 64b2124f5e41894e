import { randomUUID } from 'node:crypto'
import type { TokenPreview } from '@passport/contract/identity-apis'
import type { Services } from '../feature.ts'
import { userNotFound } from '../http/problems.ts'
import { accessTokenHeader, toClientClaims, toCommonClaims } from '../oauth/access-token.ts'
import { OAuthError } from '../oauth/oauth-error.ts'
import { clientScopesOf, lifetimeOf, requireApi, requireScopes, userScopesOf } from '../oauth/resources.ts'
import * as users from '../users/store.ts'
import { epochSeconds } from './lifetimes.ts'
import * as problems from './problems.ts'
import { findUserClaims } from './token-claims.ts'

/** The scopes that a user grants besides those of the API. */
const identityScopeNames = new Set(['openid', 'profile', 'email', 'entitlements'])

interface PreviewRequest {
  apiId: string
  clientId: string
  /** Without a user, the preview is of the token of the client itself. */
  userId?: string | undefined
  /** Separated by spaces. */
  scope: string
}

/**
 * Returns the content of the access token that a client would get for an API, or the error of its request. Throws 404 for
 * an unknown client or user.
 */
export async function previewToken(services: Services, request: PreviewRequest): Promise<TokenPreview> {
  const { sql, clients, issuer, config } = services
  const client = await clients.find(request.clientId)
  if (!client) throw problems.clientNotFound()
  const user = request.userId === undefined ? undefined : await users.find(sql, request.userId)
  if (request.userId !== undefined && !user) throw userNotFound()
  try {
    const header = accessTokenHeader(await issuer.keys())
    const all = await services.apis.list()
    const api = requireApi(all, all.find(({ id }) => id === request.apiId)?.audience, client.clientId)
    const requested = request.scope.split(/\s+/).filter(Boolean)
    const identityScopes = user ? requested.filter((scope) => identityScopeNames.has(scope)) : []
    const apiScopes = requested.filter((scope) => !identityScopes.includes(scope) || api.builtIn)
    requireScopes(apiScopes, user ? userScopesOf(api) : clientScopesOf(api, client))
    const common = toCommonClaims({
      jti: randomUUID(),
      aud: api.audience,
      clientId: client.clientId,
      scope: apiScopes.join(' '),
      now: epochSeconds(),
      lifetimeSec: lifetimeOf(api, apiScopes),
    })
    const subject = user
      ? await findUserClaims(sql, {
          userId: user.id,
          api,
          grantedScopes: identityScopes,
          withEntitlements: identityScopes.includes('entitlements'),
        })
      : toClientClaims(client.clientId)
    return { header, claims: { iss: config.publicUrl, ...common, ...subject }, refusal: null }
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    return { header: null, claims: null, refusal: { error: error.code, description: error.message } }
  }
}
