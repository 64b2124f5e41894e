import type { Services } from '../feature.ts'
import { signAccessToken, toClientClaims, toCommonClaims } from '../oauth/access-token.ts'
import { OAuthError } from '../oauth/oauth-error.ts'
import { clientScopesOf, findApisForClient, lifetimeOf, requireApi, requireScopes } from '../oauth/resources.ts'
import { parseScopes } from '../oauth/scopes.ts'
import { generateToken } from '../vault.ts'
import { ClientChanged } from './client-endpoint.ts'
import { saveClientToken } from './grant-store.ts'
import type { IssuedTokens, TokenRequest } from './issue-tokens.ts'
import { epochSeconds } from './lifetimes.ts'
import { requireFirstUse } from './presentation.ts'

/**
 * Creates the issuer of tokens to clients on their own behalf (RFC 6749, section 4.4), in one statement. A token is for one
 * API: the requested one, or that of its scopes.
 */
export function createClientCredentialsGrant({ sql, config, apis, issuer }: Services) {
  return async ({ client, parameters, resources, proof }: TokenRequest): Promise<IssuedTokens> => {
    const { clientId } = client
    const requested = parameters.get('scope')
    const scopes = requested === undefined ? [] : parseScopes(requested)
    if (!scopes) throw new OAuthError('invalid_scope', 'scope contains invalid characters')
    const all = await apis.list()
    const audiences = resources.length > 0 ? resources : findApisForClient(all, scopes).map(({ audience }) => audience)
    // Of an unknown API first, because it has no scopes.
    const found = audiences.map((audience) => requireApi(all, audience, clientId))
    for (const api of found) requireScopes(scopes, clientScopesOf(api, client))
    const [api, ...others] = found
    if (!api || others.length > 0) throw new OAuthError('invalid_target', 'a token is for one resource only')
    const jti = generateToken()
    const [scope, lifetimeSec, now, jkt] = [scopes.join(' '), lifetimeOf(api, scopes), epochSeconds(), proof?.jkt]
    const claims = {
      ...toCommonClaims({ jti, aud: api.audience, clientId, scope, now, lifetimeSec, jkt }),
      ...toClientClaims(clientId),
    }
    const accessToken = signAccessToken(claims, config.publicUrl, await issuer.keys())
    await requireFirstUse(sql, proof)
    const issued = { jti, audience: api.audience, scope, jkt, now, lifetimeSec }
    if (!(await saveClientToken(sql, client, issued))) throw new ClientChanged()
    const type = jkt === undefined ? 'Bearer' : 'DPoP'
    return {
      response: { access_token: accessToken, expires_in: lifetimeSec, scope, token_type: type },
      userId: undefined,
    }
  }
}
