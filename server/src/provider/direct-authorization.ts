import type { IdentityApi } from '@passport/contract/identity-apis'
import * as consents from '../accounts/consent-store.ts'
import { computeBrowserState } from '../accounts/session-cookie.ts'
import { idleHours } from '../accounts/session-store.ts'
import type { Client } from '../clients/store.ts'
import { combineWrites } from '../database/combine.ts'
import type { Services } from '../feature.ts'
import { type Cookies, createCookies } from '../http/cookies.ts'
import type { DirectHandler, DirectResponse } from '../http/direct.ts'
import type { AddressLimit } from '../http/rate-limit.ts'
import type { Visit } from '../http/visit.ts'
import { admits, findApisWithScopes } from '../identity-apis/scopes.ts'
import { Trace } from '../sign-in-traces/trace.ts'
import { generateToken } from '../vault.ts'
import { createSignedInReader, type SignedInRead } from './authorization-store.ts'
import { computeSessionState } from './check-session.ts'
import { startingNow } from './direct-issue.ts'
import { lifetimes } from './lifetimes.ts'
import { isUsualFor, type PlainRequest, readPlainRequest } from './plain-request.ts'
import { traceIssuedCode } from './record-traces.ts'
import { userScopesOf } from './resources.ts'
import { issuerScopes } from './scopes.ts'
import { type NewArtifact, saveCodes } from './store.ts'
import { readStoredSession, type StoredSession } from './stored-session.ts'
import { readGrantPayload, type TokenPayload } from './token-payload.ts'

/** The cookies of a browser that is signed in. */
interface SignedInBrowser {
  /** The id of the library's session. */
  sessionId: string
  /** The cookie of Passport's session. */
  token: string
}

/** What a request leads to without the user. */
interface Authorization {
  session: StoredSession
  /** The audiences of the APIs of its scopes. */
  audiences: string[]
  /** The granted scopes among the requested ones. */
  scopes: string[]
}

/**
 * Creates the handler of the usual authorization request (OpenID Connect Core, section 3.1.2): of a browser that is
 * signed in, for scopes that are granted already. It reads in one statement and saves the code in another, which requests at the same time share; a client whose
 * users consent once takes one more, as in the library. A request that needs the user, changes the grant or a session, or
 * has any other parameter, is for the library. `limit` is that of the library's path; both count together.
 */
export function createAuthorizationHandler(services: Services, limit: AddressLimit): DirectHandler {
  const { sql, http, clients, apis, issuer, traces } = services
  const { cookies: issuerCookies } = issuer
  const consume = http.limitAddress(limit)
  const findSignedIn = createSignedInReader(sql, idleHours)
  const save = combineWrites((codes: NewArtifact[]) => saveCodes(sql, codes))

  return async ({ incoming, visit, query }) => {
    const startedAt = Date.now()
    const request = readPlainRequest(incoming, query)
    const browser = request && readBrowser(createCookies(incoming.headers.cookie, http.isSecure))
    const client = browser && (await clients.find(request.clientId))
    if (!client || !isUsualFor(client, request)) return undefined
    const requestedApis = findRequestedApis(await apis.list(), request.scopes, client)
    if (!requestedApis) return undefined
    const found = await findSignedIn({ ...browser, clientId: client.clientId })
    const authorization = found && authorize(found, request, requestedApis)
    if (!authorization) return undefined
    const { accountId } = authorization.session
    // Counted last, because the library counts a request that is passed on.
    await consume(visit)
    if (client.consent === 'once') await consents.use(sql, accountId, client.clientId)
    const code = generateToken()
    const payload = toCodePayload(request, authorization)
    await save({
      issuer: 'passport',
      kind: 'AuthorizationCode',
      id: code,
      payload: { ...payload },
      sealedId: null,
      accountId,
      grantId: authorization.session.grantId,
      uid: null,
      expiresInSeconds: lifetimes.AuthorizationCode,
    })
    traces.record(traceIssuedCode(traceRequest(request, client, accountId, visit, startedAt), code))
    return respond(request, browser, code)
  }

  function readBrowser(cookies: Cookies): SignedInBrowser | undefined {
    const token = cookies.get(http.sessionCookie)
    const sessionId = token && issuerCookies.readSession(cookies)
    return sessionId ? { sessionId, token } : undefined
  }

  /** Creates the redirect of the library, which extends its cookie each time. */
  function respond(
    { clientId, redirectUri, state }: PlainRequest,
    browser: SignedInBrowser,
    code: string,
  ): DirectResponse {
    const target = new URL(redirectUri)
    const { origin } = target
    const parameters = {
      code,
      state,
      iss: http.publicUrl,
      session_state: computeSessionState(clientId, origin, computeBrowserState(browser.token)),
    }
    for (const [name, value] of Object.entries(parameters))
      if (value !== undefined) target.searchParams.set(name, value)
    const { exp } = startingNow(lifetimes.Session)
    return {
      status: 303,
      headers: {
        'Cache-Control': 'no-store',
        Location: target.href,
        'Set-Cookie': issuerCookies.formatSession(browser.sessionId, exp),
      },
    }
  }
}

/**
 * Returns the APIs that a request is for by its scopes; undefined if the client gets no tokens of one, or a scope is
 * unknown or for offline access, which a usual request does not get.
 */
function findRequestedApis(all: IdentityApi[], scopes: string[], client: Client): IdentityApi[] | undefined {
  const found = findApisWithScopes(all, scopes)
  const known = new Set([...issuerScopes, ...found.flatMap(userScopesOf)])
  const isUsual =
    !scopes.includes('offline_access') &&
    scopes.every((scope) => known.has(scope)) &&
    found.every((api) => admits(api, client.clientId))
  return isUsual ? found : undefined
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

function toCodePayload(
  { clientId, redirectUri, nonce, challenge }: PlainRequest,
  { session, audiences, scopes }: Authorization,
): TokenPayload {
  const { uid, accountId, loginTs, amr, acr, grantId, sid } = session
  const [first, ...others] = audiences
  return {
    ...startingNow(lifetimes.AuthorizationCode),
    kind: 'AuthorizationCode',
    clientId,
    accountId,
    grantId,
    sessionUid: uid,
    expiresWithSession: true,
    sid,
    acr,
    amr,
    authTime: loginTs,
    nonce,
    redirectUri,
    scope: scopes.join(' '),
    ...(first !== undefined && { resource: others.length > 0 ? audiences : first }),
    ...(challenge !== undefined && { codeChallenge: challenge, codeChallengeMethod: 'S256' }),
  }
}

function traceRequest(
  { redirectUri, scopes }: PlainRequest,
  { clientId, name }: Client,
  userId: string,
  visit: Visit,
  startedAt: number,
): Trace {
  return new Trace('authorization', visit, startedAt)
    .about({ client: clientId, userId })
    .pass('request-received', { scope: scopes.join(' ') })
    .pass('application-found', { application: name, to: redirectUri.split(/[?#]/)[0] })
}
