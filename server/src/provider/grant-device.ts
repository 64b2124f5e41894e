import * as requests from '../device-authorization/store.ts'
import type { Services } from '../feature.ts'
import { OAuthError } from '../oauth/oauth-error.ts'
import { requireParameter } from './client-endpoint.ts'
import type { FindGrantSource } from './grant-store.ts'
import {
  createExchange,
  type IssuedTokens,
  invalidGrant,
  requireAuthorization,
  type TokenRequest,
} from './issue-tokens.ts'

const name = 'device code'

/**
 * Creates the exchange of device codes (RFC 8628, section 3.4). A poll of a device whose user has not decided costs one
 * statement, which also records it.
 */
export function createDeviceGrant(services: Services, findSource: FindGrantSource) {
  const { sql } = services
  const exchange = createExchange(services)
  const recordPendingPoll = requests.createPendingPolls(sql)

  return async (request: TokenRequest): Promise<IssuedTokens> => {
    const { client } = request
    const deviceCode = requireParameter(request, 'device_code')
    const poll = await recordPendingPoll(deviceCode, client)
    if (poll?.isTooSoon) throw new OAuthError('slow_down', 'Wait 5 seconds longer between polls.')
    if (poll) throw new OAuthError('authorization_pending', 'The user has not approved the device yet.')
    const found = await requests.findByDeviceCode(sql, deviceCode)
    if (found?.clientId !== client.clientId) throw invalidGrant('The device code is unknown.')
    if (found.isExpired) throw new OAuthError('expired_token', 'The device code has expired.')
    if (found.decision === 'denied') throw new OAuthError('access_denied', 'The user denied the request.')
    const { source, authorization } = requireAuthorization(await findSource('DeviceCode', deviceCode), request, name)
    // A device has no session with which its refresh token could end.
    const isRefreshable =
      client.grantTypes.includes('refresh_token') && authorization.grant.scopes.includes('offline_access')
    return exchange(request, source, authorization, { isRefreshable, name })
  }
}
