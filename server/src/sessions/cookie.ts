import { createHash } from 'node:crypto'
import type { Cookies } from '../http/cookies.ts'
import type { Door } from '../http/door.ts'
import { lifeDays } from './store.ts'

/** Read by the frame that tells clients of a sign-out; it names the session and opens nothing. */
const stateCookie = 'passport-state'

/** What changes in a browser whenever who is signed in does (OpenID Connect Session Management 1.0, section 4.2). */
export const browserStateOf = (token: string | undefined): string =>
  token ? createHash('sha256').update(`browser-state ${token}`).digest('base64url').slice(0, 22) : ''

/** Gives a browser its session. */
export function setSession(cookies: Cookies, door: Door, token: string): void {
  const maxAgeSeconds = lifeDays * 24 * 60 * 60
  cookies.set(door.sessionCookie, token, { maxAgeSeconds })
  cookies.set(stateCookie, browserStateOf(token), { maxAgeSeconds, isForFrames: true })
}

/** Takes it away again. */
export function clearSession(cookies: Cookies, door: Door): void {
  cookies.clear(door.sessionCookie)
  cookies.clear(stateCookie)
}
