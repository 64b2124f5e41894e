import { type JWTPayload, jwtVerify } from 'jose'
import { endSessionByToken } from '../accounts/end-sessions.ts'
import { clearSession } from '../accounts/session-cookie.ts'
import type { Client } from '../clients/store.ts'
import type { Services } from '../feature.ts'
import { html, type Page, type PageRequest, renderHead } from '../http/page.ts'
import type { KeySet } from '../oauth/key-set.ts'

/** The client fields that a logout request needs. */
type LogoutClient = Pick<Client, 'clientId' | 'name' | 'postLogoutRedirectUris'>

/** A logout request of a client (OpenID Connect RP-Initiated Logout 1.0, section 2). */
interface EndSessionRequest {
  client: LogoutClient | undefined
  /** The subject of the ID token hint. */
  hintedSubject: string | undefined
  /** The registered post-logout redirect URI, with the state. */
  returnTo: string | undefined
}

/** Thrown for an invalid logout request; the message is shown to the user. */
export class InvalidEndSessionRequest extends Error {}

/** Parses the parameters of an end-session request. Throws `InvalidEndSessionRequest`. */
export async function parseEndSessionRequest(
  query: URLSearchParams,
  findClient: (clientId: string) => Promise<LogoutClient | undefined>,
  publicUrl: string,
  keys: KeySet,
): Promise<EndSessionRequest> {
  const hint = query.get('id_token_hint')
  const hintClaims = hint === null ? undefined : await verifyHint(hint, publicUrl, keys)
  const clientId = query.get('client_id') ?? hintClaims?.aud
  if (hintClaims && clientId !== hintClaims.aud)
    throw new InvalidEndSessionRequest('The ID token was issued to another client.')
  const client = typeof clientId === 'string' ? await findClient(clientId) : undefined
  if (typeof clientId === 'string' && !client) throw new InvalidEndSessionRequest('Client not found.')
  const redirectUri = query.get('post_logout_redirect_uri')
  if (redirectUri !== null && !client?.postLogoutRedirectUris.includes(redirectUri)) {
    throw new InvalidEndSessionRequest('The post-logout redirect URI is not registered for the client.')
  }
  return {
    client,
    hintedSubject: hintClaims?.sub,
    returnTo: redirectUri === null ? undefined : addState(redirectUri, query.get('state')),
  }
}

/** Returns the parameters of a request of a client that say where the browser returns to. */
export function selectReturn(parameters: URLSearchParams, client: LogoutClient | undefined): URLSearchParams {
  const selected = new URLSearchParams(client && { client_id: client.clientId })
  for (const name of ['post_logout_redirect_uri', 'state']) {
    const value = parameters.get(name)
    if (value !== null) selected.set(name, value)
  }
  return selected
}

/** Verifies an ID token of this issuer. An expired one is accepted, since it only has to identify the user. */
async function verifyHint(hint: string, issuer: string, keys: KeySet): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(hint, keys.findKey, { issuer, currentDate: new Date(0) })
    return payload
  } catch {
    throw new InvalidEndSessionRequest('The ID token was not issued by this server.')
  }
}

function addState(redirectUri: string, state: string | null): string {
  const url = new URL(redirectUri)
  if (state !== null) url.searchParams.set('state', state)
  return url.href
}

/** Ends the browser's session and everything bound to it. */
export async function signOutOfBrowser(
  { sql, http }: Services,
  request: PageRequest,
  client: string | null,
): Promise<void> {
  const token = request.cookies.get(http.sessionCookie)
  if (token) await endSessionByToken(sql, token, { visit: request.visit, client })
  clearSession(request.cookies, http)
}

/** Renders the question to the user. Without the user's ID token, any page on the web could have sent the request. */
export function renderConfirmationPage(
  brandName: string,
  { client, returnTo }: EndSessionRequest,
  sealedReturn: string,
): Page {
  const body = html`${renderHead(
    `Sign out of ${brandName}?`,
    `${client ? client.name : 'An application'} requests to sign you out. You will be signed out of ${brandName} and of every application that you use with it in this browser.`,
  )}
    <form method="post" action="/connect/endsession/confirm">
      <input type="hidden" name="return" value="${sealedReturn}">
      <p class="actions"><button>Sign out</button> <a class="button plain" href="/app/">Stay signed in</a></p>
    </form>`
  return { title: 'Sign out', body, formTargets: returnTo ? [returnTo] : [] }
}

export function renderSignedOutPage(): Page {
  const body = html`${renderHead('You are signed out', 'You can close this window.')}
    <p class="actions"><a class="button" href="/app/">Go to the home page</a></p>`
  return { title: 'Signed out', body }
}

export function renderInvalidRequestPage(reason: string): Page {
  const body = html`${renderHead('You were not signed out', `An application sent an invalid request. ${reason}`)}
    <p class="actions"><a class="button" href="/app/account/logins">View your sessions</a></p>`
  return { status: 400, title: 'Not signed out', body }
}
