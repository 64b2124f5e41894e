import type { Services } from '../feature.ts'
import { type Cookies, createCookies } from '../http/cookies.ts'
import type { HttpContext } from '../http/http-context.ts'
import { cutText } from '../http/storable-text.ts'
import type { UserNeeded } from './decide-prompt.ts'
import { lifetimes } from './lifetimes.ts'
import type { StoredRequest } from './request-store.ts'

/** The client of a pending authorization request with its registered name. */
export interface PendingClient {
  clientId?: string
  clientName?: string
  /** The origin of its redirect URI, or the scheme if it is that of an app. */
  clientOrigin?: string
}

/** Returns the client of a pending authorization request; an empty object if the request has expired. */
export async function findPendingClient(
  services: Pick<Services, 'requests' | 'clients'>,
  uid: string,
): Promise<PendingClient> {
  const request = await services.requests.findPending(uid)
  return request ? readPendingClient(services, request) : {}
}

/** Returns the client of a pending authorization request. */
export async function readPendingClient(
  { clients }: Pick<Services, 'clients'>,
  { clientId, parameters }: StoredRequest,
): Promise<PendingClient> {
  const client = await clients.find(clientId)
  const url = URL.parse(parameters['redirect_uri'] ?? '')
  const clientOrigin = url?.origin === 'null' ? url.protocol : url?.origin
  return {
    ...(client && { clientId: client.clientId, clientName: client.name }),
    ...(clientOrigin !== undefined && { clientOrigin }),
  }
}

/** Returns the URL of the page on which the user of an authorization request does what it needs. */
export const buildPageUrl = (uid: string): string => `/connect/interaction/${encodeURIComponent(uid)}`

/** Returns the URL of an authorization request that continues after its page. */
export const buildContinueUrl = (uid: string): string => `/connect/authorize/${encodeURIComponent(uid)}`

/**
 * Builds the URL of the sign-in page for a step; `loginHint` is the user that the client expects (OpenID Connect Core,
 * section 3.1.2.1).
 */
export function buildSignInUrl(uid: string, step: UserNeeded['step'], loginHint?: string): string {
  const prompts: Partial<Record<UserNeeded['step'], string>> = {
    reauthenticate: '&prompt=login',
    'select account': '&prompt=select_account',
  }
  const hint = loginHint === undefined ? '' : `&login_hint=${encodeURIComponent(cutText(loginHint, 256))}`
  return `/login?interaction=${encodeURIComponent(uid)}${prompts[step] ?? ''}${hint}`
}

/** The cookie by which a request continues only in the browser that started it. */
export const requestCookie = 'passport-request'

/** Returns the paths to which the cookie of a pending request is sent: its page and its continuation. */
export const pathsOfRequest = (uid: string): string[] => [buildPageUrl(uid), buildContinueUrl(uid)]

/** Formats the `Set-Cookie` lines of a pending request, for its page and for its continuation. */
export function formatRequestCookies(uid: string, { isSecure }: Pick<HttpContext, 'isSecure'>): string[] {
  const cookies = createCookies(undefined, isSecure)
  for (const path of pathsOfRequest(uid))
    cookies.set(requestCookie, uid, { path, maxAgeSeconds: lifetimes.Interaction })
  return cookies.toSet
}

/** Formats the `Set-Cookie` lines that remove the cookie of a pending request, which has continued. */
export function clearRequestCookies(uid: string, { isSecure }: Pick<HttpContext, 'isSecure'>): string[] {
  const cookies = createCookies(undefined, isSecure)
  for (const path of pathsOfRequest(uid)) cookies.clear(requestCookie, { path })
  return cookies.toSet
}

/** Reports whether this browser has started a pending request. */
export const isRequestOfBrowser = (cookies: Cookies, uid: string): boolean =>
  /^[\w-]{43}$/.test(uid) && cookies.get(requestCookie) === uid
