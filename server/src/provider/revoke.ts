import type { Services } from '../feature.ts'
import type { ProtocolEndpoint } from '../http/protocol.ts'
import { isStructured, readAccessToken } from '../oauth/access-token.ts'
import { createClientEndpoint, requireParameter } from './client-endpoint.ts'
import { revokeToken } from './store.ts'

/**
 * Creates the revocation endpoint (RFC 7009). An access token ends alone, a refresh token with its grant and all tokens of
 * it. The token of another client, and one that is unknown, stays: the response is the same (section 2.2).
 */
export function createRevocation(services: Services): ProtocolEndpoint {
  const { sql, config, issuer, clientTokens } = services
  return createClientEndpoint(services, {}, async ({ client, parameters }) => {
    const token = requireParameter({ parameters }, 'token')
    const id = isStructured(token)
      ? (await readAccessToken(token, config.publicUrl, await issuer.keys(), { isForAnyApi: true }))?.jti
      : token
    if (id !== undefined) await revokeToken(sql, client.clientId, id)
    // Before the response: the token is refused from the next request on.
    clientTokens.clear()
    return undefined
  })
}
