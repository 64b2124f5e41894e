import type { IncomingMessage } from 'node:http'
import type { Client } from '../clients/store.ts'
import { chooseMediaType } from '../http/accept.ts'
import { createCookies } from '../http/cookies.ts'
import type { HttpContext } from '../http/http-context.ts'
import { type Page, renderDocument } from '../http/page.ts'
import type { ProtocolResponse } from '../http/protocol.ts'
import { redactPath, reportRejection } from '../http/report.ts'
import type { Visit } from '../http/visit.ts'
import { OAuthError } from '../oauth/oauth-error.ts'
import type { Parameters } from '../oauth/parameters.ts'
import { isRegistered } from '../oauth/redirect-uri.ts'
import {
  buildResponseUrl,
  chooseResponseMode,
  type ResponseMode,
  type ResponseParameters,
  toDefined,
} from '../oauth/responses.ts'
import { renderErrorPage } from './error-page.ts'
import { renderExpiredPage } from './expired-page.ts'
import { renderFormPostPage } from './form-post.ts'

/** Where the response to an authorization request goes. */
export interface ResponseTarget {
  redirectUri: string
  mode: ResponseMode
  state: string | undefined
}

/** The pending request has expired, was continued, or belongs to another browser. The user sees a page. */
export class RequestExpired extends OAuthError {
  constructor() {
    super('invalid_request', 'The authorization request has expired.')
  }
}

/** A browser's request, for pages. */
interface BrowserContext {
  incoming: IncomingMessage
  visit: Visit
}

/** Returns where a client gets its response; undefined if the request has no valid redirect URI. */
export function findTarget(client: Client | undefined, parameters: Parameters): ResponseTarget | undefined {
  const redirectUri = parameters.get('redirect_uri')
  if (!client || redirectUri === undefined || !isRegistered(client, redirectUri)) return undefined
  const mode = chooseResponseMode(parameters.get('response_mode'), parameters.get('response_type'))
  return { redirectUri, mode, state: parameters.get('state') }
}

/** Creates a redirect to a page of this server, or to a client. */
export const toRedirect = (location: string, setCookie: readonly string[]): ProtocolResponse => ({
  status: 303,
  headers: {
    'Cache-Control': 'no-store',
    Location: location,
    ...(setCookie.length > 0 && { 'Set-Cookie': [...setCookie] }),
  },
})

/**
 * Creates the response to a client, with the issuer (RFC 9207): a redirect, or a form (OAuth 2.0 Form Post Response Mode).
 */
export function respondToClient(
  { redirectUri, mode, state }: ResponseTarget,
  parameters: ResponseParameters,
  http: HttpContext,
  { incoming, setCookie = [] }: Pick<BrowserContext, 'incoming'> & { setCookie?: readonly string[] },
): ProtocolResponse {
  const all = { ...parameters, state, iss: http.publicUrl }
  if (mode !== 'form_post') return toRedirect(buildResponseUrl(redirectUri, all, mode), setCookie)
  const response = toPageResponse(renderFormPostPage(redirectUri, toDefined(all)), http, { incoming })
  return {
    ...response,
    headers: { ...response.headers, ...(setCookie.length > 0 && { 'Set-Cookie': [...setCookie] }) },
  }
}

/** Creates the response to a request without a client to return to: a page or, for a program, JSON. */
export async function showError(
  error: OAuthError,
  state: string | undefined,
  http: HttpContext,
  { incoming, visit }: BrowserContext,
): Promise<ProtocolResponse> {
  const { code, message: description, headers } = error
  // 401 is for the endpoints at which clients authenticate.
  const status = error.status === 401 ? 400 : error.status
  if (chooseMediaType(incoming.headers, ['text/html', 'application/json']) === 'application/json') {
    const body = toDefined({ ...error.toParameters(), state, iss: http.publicUrl })
    return {
      status,
      headers: { 'Cache-Control': 'no-store', 'Content-Type': 'application/json; charset=utf-8', ...headers },
      body: JSON.stringify(body),
      code,
    }
  }
  const path = redactPath(incoming.url ?? '')
  const page =
    error instanceof RequestExpired
      ? renderExpiredPage(reportRejection(http.log, visit, { code, message: description, path }))
      : renderErrorPage({ code, description, status, headers }, { visit, path, log: http.log })
  return { ...toPageResponse(page, http, { incoming, caller: await findCaller(incoming, status, http) }), code }
}

/** Returns the user with a session in this browser, for an error page. It needs the database, which may be away. */
async function findCaller({ headers }: IncomingMessage, status: number, http: HttpContext) {
  const token = createCookies(headers.cookie, http.isSecure).get(http.sessionCookie)
  if (token === undefined || status >= 500) return undefined
  return http.identify.bySession(token).catch(() => undefined)
}

function toPageResponse(
  page: Page,
  http: HttpContext,
  { incoming, caller }: Pick<BrowserContext, 'incoming'> & { caller?: Awaited<ReturnType<typeof findCaller>> },
): ProtocolResponse {
  const cookies = createCookies(incoming.headers.cookie, http.isSecure)
  const { headers, text } = renderDocument(page, http, { cookies, caller })
  return { status: page.status ?? 200, headers, body: text }
}
