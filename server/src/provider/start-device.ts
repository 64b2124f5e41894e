import { randomInt } from 'node:crypto'
import { deviceCodeGrant } from '../clients/grant-types.ts'
import { deviceTestClientId } from '../clients/registered.ts'
import { transaction } from '../database/sql.ts'
import * as requests from '../device-authorization/store.ts'
import { formatUserCode, generateUserCode } from '../device-authorization/user-code.ts'
import type { Services } from '../feature.ts'
import { createCookies } from '../http/cookies.ts'
import type { ProtocolEndpoint } from '../http/protocol.ts'
import { anonymousLimit } from '../http/rate-limit.ts'
import { findApisWithScopes, scopeNamesOf } from '../identity-apis/scopes.ts'
import { checkAuthorizationRequest, readRequestedScopes } from '../oauth/authorization-request.ts'
import { OAuthError } from '../oauth/oauth-error.ts'
import type { Parameters } from '../oauth/parameters.ts'
import { requireApi, userScopesOf } from '../oauth/resources.ts'
import { issuerScopes } from '../oauth/scopes.ts'
import { Trace } from '../sign-in-traces/trace.ts'
import { generateToken } from '../vault.ts'
import { type ClientRequest, createClientEndpoint } from './client-endpoint.ts'
import { saveDeviceCode } from './device-code-store.ts'
import { deviceCodeSeconds, epochSeconds } from './lifetimes.ts'

/** The parameter by which the built-in test client requests number matching; other devices could not show a number. */
const matchParameter = 'passport_match'

/** The parameter by which a device requires the PIN that the approving user sees. */
const pinParameter = 'passport_pin'

/** Seconds between two polls (RFC 8628, section 3.2). */
const intervalSeconds = 5

/**
 * Creates the device authorization endpoint (RFC 8628, section 3.1). A request is recorded with its origin, which the page
 * of the user code shows before approval.
 */
export function createDeviceStart(services: Services): ProtocolEndpoint {
  const { sql, http, apis, traces } = services
  const traced = {
    kind: 'device-request',
    failsAt: 'parameters-checked',
    begin: beginTrace,
    isAudited: () => false,
  } as const
  const rateLimit = anonymousLimit('device-authorization')

  return createClientEndpoint(services, { traced, rateLimit }, async (request) => {
    const { client, parameters, visit } = request
    const { clientId, grantTypes } = client
    if (!grantTypes.includes(deviceCodeGrant))
      throw new OAuthError('unauthorized_client', `The client may not use the grant ${deviceCodeGrant}.`)
    checkAuthorizationRequest('device', parameters, client)
    const scopes = await findScopes(request)
    const [deviceCode, userCode] = [generateToken(), generateUserCode()]
    const isMatched = clientId === deviceTestClientId && parameters.get(matchParameter) === 'number'
    const matchNumber = isMatched ? String(randomInt(10, 100)) : null
    const isPinRequired = client.isPinRequired || parameters.get(pinParameter) === 'required'
    const codes = { deviceCode, userCode, clientId }
    const sessionId = await findSessionId(request)
    await transaction(sql, async (sql) => {
      await saveDeviceCode(sql, { ...codes, now: epochSeconds(), lifetimeSec: deviceCodeSeconds })
      await requests.add(sql, {
        ...codes,
        ...{ scopes, sessionId, matchNumber, isPinRequired },
        expiresInSeconds: deviceCodeSeconds,
        ip: visit.ip,
        userAgent: visit.userAgent,
      })
    })
    traces.record(traceStart(request, deviceCode, userCode))
    const [shown, page] = [formatUserCode(userCode), `${http.publicUrl}/app/device`]
    return {
      device_code: deviceCode,
      user_code: shown,
      verification_uri: page,
      verification_uri_complete: `${page}?user_code=${encodeURIComponent(shown)}`,
      expires_in: deviceCodeSeconds,
      interval: intervalSeconds,
      ...(matchNumber !== null && { [matchParameter]: matchNumber }),
      ...(isPinRequired && { [pinParameter]: 'required' }),
    }
  })

  /** Returns the session of the browser that starts the request, if it is one. */
  async function findSessionId({ incoming }: ClientRequest): Promise<string | null> {
    const token = createCookies(incoming.headers.cookie, http.isSecure).get(http.sessionCookie)
    const caller = token ? await http.identify.bySession(token) : undefined
    return caller?.session?.id ?? null
  }

  /**
   * Returns the requested scopes of the issuer and of the requested APIs, or else of those that the scopes belong to. Throws
   * `invalid_scope` and `invalid_target`.
   */
  async function findScopes({ client, parameters, resources }: ClientRequest): Promise<string[]> {
    const requested = readRequestedScopes('device', parameters, client)
    const all = await apis.list()
    const audiences =
      resources.length > 0 ? resources : findApisWithScopes(all, requested).map(({ audience }) => audience)
    const requestedApis = audiences.map((audience) => requireApi(all, audience, client.clientId))
    // Users consent to scopes, so an authorization without one must not lead to a token for the API.
    if (!requestedApis.every((api) => requested.some((name) => scopeNamesOf(api).includes(name))))
      throw new OAuthError('invalid_scope', 'a scope of the resource is required')
    const known = new Set([...issuerScopes, ...requestedApis.flatMap(userScopesOf)])
    return requested.filter((name) => known.has(name))
  }
}

/** Adds the first step of a request to its trace. */
const beginTrace = (trace: Trace, parameters: Parameters): Trace =>
  trace.pass('request-received', { scope: parameters.get('scope') })

function traceStart(
  { client, parameters, visit, startedAt }: ClientRequest,
  deviceCode: string,
  userCode: string,
): Trace {
  return beginTrace(new Trace('device-request', visit, startedAt).about({ client: client.clientId }), parameters)
    .pass('client-authenticated', { application: client.name })
    .pass('device-shown')
    .link('code', deviceCode)
    .link('device', userCode)
}
