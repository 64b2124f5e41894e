import type { IdentityApi } from '@passport/contract/identity-apis'
import * as consents from '../accounts/consent-store.ts'
import { idleHours } from '../accounts/session-store.ts'
import { combineWrites } from '../database/combine.ts'
import type { Services } from '../feature.ts'
import { createCookies } from '../http/cookies.ts'
import type { DirectHandler } from '../http/direct.ts'
import type { AddressLimit } from '../http/rate-limit.ts'
import { userScopesOf } from '../oauth/resources.ts'
import { issuerScopes } from '../oauth/scopes.ts'
import { generateToken } from '../vault.ts'
import { createSignedInReader, type SignedInRead } from './authorization-store.ts'
import { createPendingRequests } from './direct-interaction.ts'
import {
  type Authorization,
  type SignedInBrowser,
  toCodeArtifact,
  toCodeRedirect,
  traceRequest,
} from './issued-code.ts'
import { findRequestedApis, isAskedEachTime, isValidFor, type PlainRequest, readPlainRequest } from './plain-request.ts'
import { traceIssuedCode } from './record-traces.ts'
import { type NewArtifact, saveCodes } from './store.ts'
import { readStoredSession } from './stored-session.ts'
import { readGrantPayload } from './token-payload.ts'

/**
 * Creates the handler of the usual authorization request (OpenID Connect Core, section 3.1.2). For a browser that is
 * signed in, and scopes that are granted already, it reads in one statement and saves the code in another, which requests
 * at the same time share; a client whose users consent once takes one more, as in the library. For a browser without any
 * session, it saves the request until the user has signed in. A request that changes the grant or a session, or has any
 * other parameter, is for the library. `limit` is that of the library's path; both count together.
 */
export function createAuthorizationHandler(services: Services, limit: AddressLimit): DirectHandler {
  const { sql, http, clients, apis, issuer, traces } = services
  const { cookies: issuerCookies } = issuer
  const consume = http.limitAddress(limit)
  const findSignedIn = createSignedInReader(sql, idleHours)
  const save = combineWrites((codes: NewArtifact[]) => saveCodes(sql, codes))
  const pendingRequests = createPendingRequests(services)

  return async ({ incoming, visit, query }) => {
    const startedAt = Date.now()
    const request = readPlainRequest(incoming, query)
    const browser = request && readBrowser(incoming.headers.cookie)
    const client = browser && (await clients.find(request.clientId))
    if (!client || !isValidFor(client, request)) return undefined
    const requestedApis = findRequestedApis(await apis.list(), request, client)
    if (!requestedApis) return undefined
    if (browser === 'stranger') {
      await consume(visit)
      const pending = await pendingRequests.start(request, requestedApis)
      traces.record(pending.trace({ client, visit, startedAt }))
      return pending.response
    }
    if (isAskedEachTime(client)) return undefined
    const found = await findSignedIn({ ...browser, clientId: client.clientId })
    if (found?.clientVersion !== client.version) return undefined
    const authorization = authorize(found, request, requestedApis)
    if (!authorization) return undefined
    const { accountId } = authorization.session
    // Counted last, because the library counts a request that is passed on.
    await consume(visit)
    if (client.consent === 'once') await consents.use(sql, accountId, client.clientId)
    const code = generateToken()
    await save(toCodeArtifact(code, request, authorization))
    traces.record(traceIssuedCode(traceRequest(request, { client, visit, startedAt, userId: accountId }), code))
    return toCodeRedirect(request, { http, cookies: issuerCookies, browser, code })
  }

  /** Reads the cookies of both sessions; undefined if only one of them is there, or one is invalid. */
  function readBrowser(header: string | undefined): SignedInBrowser | 'stranger' | undefined {
    const cookies = createCookies(header, http.isSecure)
    const token = cookies.get(http.sessionCookie)
    if (token === undefined && !issuerCookies.hasSession(cookies)) return 'stranger'
    const sessionId = token && issuerCookies.readSession(cookies)
    return sessionId ? { sessionId, token } : undefined
  }
}

/**
 * Decides as the library with the policy of this issuer (`policy.ts`): the two sessions of the browser belong together,
 * neither is older than the other's authentication, and every requested scope is granted. Undefined for anything else.
 */
function authorize(
  { session: storedSession, grant, userId, authTime, providerSession }: SignedInRead,
  { clientId, scopes: requested }: PlainRequest,
  apis: IdentityApi[],
): Authorization | undefined {
  const session = readStoredSession(storedSession, clientId)
  const granted = readGrantPayload(grant)
  if (!session || !granted) return undefined
  const isBound =
    session.accountId === userId &&
    session.uid === providerSession &&
    session.loginTs >= Math.floor(Date.parse(authTime) / 1000) &&
    grant['accountId'] === userId &&
    grant['clientId'] === clientId
  const isGranted =
    requested.every((scope) => !issuerScopes.includes(scope) || granted.openIdScopes.includes(scope)) &&
    apis.every((api) => {
      const [available, grantedScopes] = [userScopesOf(api), granted.scopesOf(api.audience)]
      return requested.every((scope) => !available.includes(scope) || grantedScopes.includes(scope))
    })
  if (!isBound || !isGranted) return undefined
  const audiences = apis.map(({ audience }) => audience)
  const all = [...granted.openIdScopes, ...audiences.flatMap(granted.scopesOf)]
  return { session, audiences, scopes: [...new Set(all.filter((scope) => requested.includes(scope)))] }
}
