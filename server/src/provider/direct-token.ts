import { clientCredentialsGrant, deviceCodeGrant } from '../clients/grant-types.ts'
import { createPendingPolls } from '../device-authorization/store.ts'
import type { Services } from '../feature.ts'
import type { DirectHandler } from '../http/direct.ts'
import type { IssueTokens, ReadClientRequest } from './direct-client.ts'
import { createClientTokenIssuer } from './direct-client-credentials.ts'
import { createCodeExchange } from './direct-code.ts'
import { answerPoll } from './direct-device-poll.ts'
import { createRefresh } from './direct-refresh.ts'
import type { LiveTokenStore } from './live-token-store.ts'

/**
 * Creates the handler of the usual token requests: those of clients on their own behalf, the exchange of a code, the
 * refresh of a token, and the polls of a device. Every other grant is for the library.
 */
export function createTokenHandler(
  services: Services,
  liveTokens: LiveTokenStore,
  readRequest: ReadClientRequest,
): DirectHandler {
  const recordPendingPoll = createPendingPolls(services.sql)
  const grants = new Map<string, IssueTokens>([
    [clientCredentialsGrant, createClientTokenIssuer(services)],
    ['authorization_code', createCodeExchange(services, liveTokens)],
    ['refresh_token', createRefresh(services, liveTokens)],
    [deviceCodeGrant, (request) => answerPoll(recordPendingPoll, request)],
  ])
  return async (request) => {
    const read = await readRequest(request)
    const grantType = read?.parameters.get('grant_type') ?? ''
    const issueTokens = grants.get(grantType)
    if (!read || !issueTokens || !read.client.grantTypes.includes(grantType)) return undefined
    await services.issuer.outage.end()
    const response = await issueTokens(read)
    if (response?.status === 200) services.uses.recordClient(read.client.clientId)
    return response
  }
}
