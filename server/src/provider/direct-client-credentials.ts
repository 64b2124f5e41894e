import type { Services } from '../feature.ts'
import { admits } from '../identity-apis/scopes.ts'
import { generateToken } from '../vault.ts'
import { signAccessToken } from './access-token.ts'
import type { IssueTokens } from './direct-client.ts'
import { clientScopesOf, findApisForClient, lifetimeOf } from './resources.ts'
import * as store from './store.ts'
import { toClientClaims, toCommonClaims } from './token-claims.ts'

/** The syntax of scopes (RFC 6749, section 3.3). */
const scopePattern = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/

/**
 * Creates the issuer of tokens to clients on their own behalf (RFC 6749, section 4.4), which saves the token with one
 * statement. A request for scopes that the client does not have, or of two APIs, or of a client that has changed, is for the
 * library.
 */
export function createClientTokenIssuer({ sql, config, apis, issuer }: Services): IssueTokens {
  return async ({ client, parameters, respond }) => {
    const requested = parameters.get('scope') ?? ''
    if (!scopePattern.test(requested)) return undefined
    const { clientId } = client
    const scopes = [...new Set(requested.split(' '))]
    const [api, ...others] = findApisForClient(await apis.list(), scopes)
    if (!api || others.length > 0 || !admits(api, clientId)) return undefined
    const allowed = clientScopesOf(api, client)
    if (!scopes.every((scope) => (allowed as string[]).includes(scope))) return undefined
    const [scope, lifetimeSec] = [scopes.join(' '), lifetimeOf(api, scopes)]
    const claims = {
      ...toCommonClaims({ jti: generateToken(), aud: api.audience, clientId, scope, lifetimeSec }),
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
