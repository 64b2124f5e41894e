import type { Services } from '../feature.ts'
import { admits } from '../identity-apis/scopes.ts'
import { signAccessToken, toClientClaims, toCommonClaims } from '../oauth/access-token.ts'
import { clientScopesOf, findApisForClient, lifetimeOf } from '../oauth/resources.ts'
import { parseScopes } from '../oauth/scopes.ts'
import { generateToken } from '../vault.ts'
import type { IssueTokens } from './direct-client.ts'
import { epochSeconds } from './lifetimes.ts'
import * as store from './store.ts'

/**
 * Creates the issuer of tokens to clients on their own behalf (RFC 6749, section 4.4), which saves the token with one
 * statement. A request for scopes that the client does not have, or of two APIs, or of a client that has changed, is for the
 * library.
 */
export function createClientTokenIssuer({ sql, config, apis, issuer }: Services): IssueTokens {
  return async ({ client, parameters, respond }) => {
    const { clientId } = client
    const scopes = parseScopes(parameters.get('scope') ?? '')
    if (!scopes) return undefined
    const [api, ...others] = findApisForClient(await apis.list(), scopes)
    if (!api || others.length > 0 || !admits(api, clientId)) return undefined
    const allowed = clientScopesOf(api, client)
    if (!scopes.every((scope) => (allowed as string[]).includes(scope))) return undefined
    const [scope, lifetimeSec] = [scopes.join(' '), lifetimeOf(api, scopes)]
    const claims = {
      ...toCommonClaims({ jti: generateToken(), aud: api.audience, clientId, scope, now: epochSeconds(), lifetimeSec }),
      ...toClientClaims(clientId),
    }
    const { jti, iat, exp, aud } = claims
    const accessToken = signAccessToken(claims, config.publicUrl, await issuer.keys())
    const artifact: store.NewArtifact = {
      issuer: 'passport',
      kind: 'ClientCredentials',
      id: jti,
      payload: { iat, exp, kind: 'ClientCredentials', clientId, aud, scope },
      sealedId: null,
      accountId: null,
      grantId: null,
      uid: null,
      expiresInSeconds: lifetimeSec,
    }
    if (!(await store.saveClientToken(sql, artifact, client))) return undefined
    return respond({ access_token: accessToken, expires_in: lifetimeSec, scope, token_type: 'Bearer' })
  }
}
