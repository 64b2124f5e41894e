import type { Services } from '../feature.ts'
import type { DirectHandler, DirectRequest } from '../http/direct.ts'
import { isStructured, readAccessToken } from '../oauth/access-token.ts'
import { pickClaims, toUserClaims } from '../oauth/claims.ts'
import { readParameters, toJsonResponse } from './direct-client.ts'
import type { LiveTokenStore, LiveUserToken } from './live-token-store.ts'
import { isAllowedOrigin } from './origins.ts'
import { userInfoHeadersOf } from './structured-user-info.ts'
import { type GrantedScopes, readGrantPayload, readTokenPayload } from './token-payload.ts'

/** Scopes whose claims are records of other features, and take statements of their own. */
const furtherScopes = ['connections', 'entitlements']

/**
 * Creates the handler that answers user info (OpenID Connect Core, section 5.3) with one statement about the token, its
 * grant, its session and its user. A token that is invalid, bound to a key, or stored in an unknown way, is for the
 * library.
 */
export function createUserInfoHandler(services: Services, liveTokens: LiveTokenStore): DirectHandler {
  const { config, clients, issuer, http } = services

  return async (request) => {
    const token = await readToken(request)
    if (token === undefined) return undefined
    const { origin } = request.incoming.headers
    const isJwt = isStructured(token)
    const id = isJwt ? await readId(token) : token
    const found = id === undefined ? undefined : await liveTokens.findAccessToken(id)
    const payload = found && readTokenPayload('AccessToken', found.payload)
    const granted = found && readGrantPayload(found.grantPayload)
    if (!found || !payload || !granted) return undefined
    if (isJwt) {
      const claims = readClaims(found, granted, granted.openIdScopes)
      const headers = { ...(await userInfoHeadersOf(services, origin)), 'Content-Type': 'application/json' }
      return claims && { status: 200, headers, body: JSON.stringify(claims) }
    }
    const client = await clients.find(payload.clientId)
    const isReadable = origin === undefined || (client && isAllowedOrigin(http, origin, client.redirectUris))
    // The token of an API is not one for user info.
    if (!client || !isReadable || payload.aud !== undefined) return undefined
    const claims = readClaims(found, granted, payload.scope?.split(' ') ?? [])
    return claims && toJsonResponse(claims, origin)
  }

  /** Returns the id of a JWT for this API that is not bound to a key. */
  async function readId(token: string): Promise<string | undefined> {
    const claims = await readAccessToken(token, config.publicUrl, await issuer.keys())
    return claims?.cnf ? undefined : claims?.jti
  }
}

/** Returns the token of a request with either header or form; undefined for any other way to present one. */
async function readToken({ incoming, readForm }: DirectRequest): Promise<string | undefined> {
  const { method, headers } = incoming
  const { authorization, dpop, 'content-type': type, 'content-length': length = '0' } = headers
  if (dpop !== undefined || (method !== 'GET' && method !== 'POST')) return undefined
  const hasBody = type !== undefined || length !== '0' || headers['transfer-encoding'] !== undefined
  if (!hasBody) return /^bearer ([\w.~+/=-]+)$/i.exec(authorization ?? '')?.[1]
  if (method !== 'POST' || authorization !== undefined) return undefined
  const parameters = readParameters(await readForm())
  return parameters?.size === 1 ? parameters.get('access_token') : undefined
}

/** Returns the claims of the scopes that the user granted; undefined without `openid`, or for further scopes. */
function readClaims({ userId, ...user }: LiveUserToken, { openIdScopes }: GrantedScopes, requested: string[]) {
  const scopes = openIdScopes.filter((scope) => requested.includes(scope))
  if (!requested.includes('openid') || scopes.some((scope) => furtherScopes.includes(scope))) return undefined
  return pickClaims(toUserClaims({ id: userId, ...user }), scopes)
}
