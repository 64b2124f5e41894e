import { computeBrowserState } from '../accounts/session-cookie.ts'
import type { Client } from '../clients/store.ts'
import type { DirectResponse } from '../http/direct.ts'
import type { HttpContext } from '../http/http-context.ts'
import type { Visit } from '../http/visit.ts'
import { Trace } from '../sign-in-traces/trace.ts'
import { computeSessionState } from './check-session.ts'
import { startingNow } from './direct-issue.ts'
import type { IssuerCookies } from './issuer-cookies.ts'
import { lifetimes } from './lifetimes.ts'
import type { PlainRequest } from './plain-request.ts'
import type { NewArtifact } from './store.ts'
import type { StoredSession } from './stored-session.ts'
import type { TokenPayload } from './token-payload.ts'

/** The cookies of a browser that is signed in. */
export interface SignedInBrowser {
  /** The id of the library's session. */
  sessionId: string
  /** The cookie of Passport's session. */
  token: string
}

/** What a code is issued for. */
export interface Authorization {
  session: StoredSession
  /** The audiences of the APIs of the request. */
  audiences: string[]
  /** The granted scopes among the requested ones. */
  scopes: string[]
}

/** Returns what is stored of a code, as the library would. */
export function toCodeArtifact(
  code: string,
  request: PlainRequest,
  { session, audiences, scopes }: Authorization,
): NewArtifact {
  const { clientId, redirectUri, nonce, challenge } = request
  const { uid, accountId, loginTs, amr, acr, grantId, sid } = session
  const [first, ...others] = audiences
  const payload: TokenPayload = {
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
  return {
    issuer: 'passport',
    kind: 'AuthorizationCode',
    id: code,
    payload: { ...payload },
    sealedId: null,
    accountId,
    grantId,
    uid: null,
    expiresInSeconds: lifetimes.AuthorizationCode,
  }
}

interface Redirect {
  http: HttpContext
  cookies: IssuerCookies
  browser: SignedInBrowser
  code: string
  /** Further `Set-Cookie` lines. */
  otherCookies?: string[]
}

/** Creates the redirect to the client, with the cookie of the library's session, which is extended each time. */
export function toCodeRedirect(
  { clientId, redirectUri, state }: PlainRequest,
  { http, cookies, browser, code, otherCookies = [] }: Redirect,
): DirectResponse {
  const target = new URL(redirectUri)
  const { origin } = target
  const parameters = {
    code,
    state,
    iss: http.publicUrl,
    session_state: computeSessionState(clientId, origin, computeBrowserState(browser.token)),
  }
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) target.searchParams.set(name, value)
  const { exp } = startingNow(lifetimes.Session)
  return toRedirect(target.href, [...otherCookies, ...cookies.formatSession(browser.sessionId, exp)])
}

/** Creates a redirect of an authorization request. */
export const toRedirect = (location: string, setCookie: string[]): DirectResponse => ({
  status: 303,
  headers: { 'Cache-Control': 'no-store', Location: location, 'Set-Cookie': setCookie },
})

interface TracedRequest {
  client: Client
  visit: Visit
  startedAt: number
  userId?: string
  /** The id of the pending request. */
  uid?: string
  isContinued?: true
}

/** Begins the trace of an authorization request, with the steps of the library. */
export function traceRequest(
  { redirectUri, scopes }: PlainRequest,
  { client, visit, startedAt, userId, uid, isContinued }: TracedRequest,
): Trace {
  return new Trace('authorization', visit, startedAt)
    .link('interaction', uid)
    .about({ client: client.clientId, userId })
    .pass('request-received', { scope: scopes.join(' '), continued: isContinued && 'after the user' })
    .pass('application-found', { application: client.name, to: redirectUri.split(/[?#]/)[0] })
}
