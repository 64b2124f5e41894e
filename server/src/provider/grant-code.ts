import type { Services } from '../feature.ts'
import { OAuthError } from '../oauth/oauth-error.ts'
import { isPkceValue, isProvenBy } from '../oauth/pkce.ts'
import { requireParameter } from './client-endpoint.ts'
import type { FindGrantSource } from './grant-store.ts'
import {
  createExchange,
  type IssuedTokens,
  invalidGrant,
  requireAuthorization,
  type TokenRequest,
} from './issue-tokens.ts'

const name = 'authorization code'

/**
 * Creates the exchange of authorization codes (RFC 6749, section 4.1.3) in two statements. A code is refused, and stays as it
 * is, without its verifier (RFC 7636, section 4.6), its redirect URI and the DPoP key that it is bound to (RFC 9449, section
 * 10).
 */
export function createCodeGrant(services: Services, findSource: FindGrantSource) {
  const exchange = createExchange(services)

  return async (request: TokenRequest): Promise<IssuedTokens> => {
    const { client, parameters, proof } = request
    const [code, redirectUri] = [requireParameter(request, 'code'), requireParameter(request, 'redirect_uri')]
    const verifier = parameters.get('code_verifier')
    if (verifier !== undefined && !isPkceValue(verifier))
      throw new OAuthError('invalid_request', 'The code_verifier must have 43 to 128 letters, digits and -._~ only.')
    const { source, authorization } = requireAuthorization(await findSource('AuthorizationCode', code), request, name)
    if (!isProvenBy(source.codeChallenge, verifier))
      throw invalidGrant('The code_verifier does not match the code_challenge of the authorization request.')
    if (source.redirectUri !== redirectUri)
      throw invalidGrant('The redirect_uri is not that of the authorization request.')
    if (source.jkt !== undefined && source.jkt !== proof?.jkt)
      throw invalidGrant('The authorization code is bound to another DPoP key.')
    const isRefreshable = client.grantTypes.includes('refresh_token')
    return exchange(request, source, authorization, { isRefreshable, name })
  }
}
