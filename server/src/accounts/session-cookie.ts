import { createHash } from 'node:crypto'
import type { Cookies } from '../http/cookies.ts'
import type { HttpContext } from '../http/http-context.ts'
import { sessionLifetimeDays } from './session-store.ts'

/**
 * The cookie that the frame of the session check reads (`check_session_iframe`). It identifies the session and grants
 * no access.
 */
const stateCookie = 'passport-state'

/** Computes a value that changes with the signed-in user (OpenID Connect Session Management 1.0, section 4.2). */
export const computeBrowserState = (token: string | undefined): string =>
  token ? createHash('sha256').update(`browser-state ${token}`).digest('base64url').slice(0, 22) : ''

/** Sets the session cookies. */
export function setSession(cookies: Cookies, http: HttpContext, token: string): void {
  const maxAgeSeconds = sessionLifetimeDays * 24 * 60 * 60
  cookies.set(http.sessionCookie, token, { maxAgeSeconds })
  cookies.set(stateCookie, computeBrowserState(token), { maxAgeSeconds, isForFrames: true })
}

/** Clears the session cookies. */
export function clearSession(cookies: Cookies, http: HttpContext): void {
  cookies.clear(http.sessionCookie)
  cookies.clear(stateCookie)
}
