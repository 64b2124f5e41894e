import type { Cookies } from '../http/cookies.ts'
import type { Door } from '../http/door.ts'
import { hashToken, type Vault } from '../vault.ts'

/** What an attempt to sign in must remember until the identity provider answers. */
export interface Attempt {
  state: string
  nonce: string
  codeVerifier: string
  idp: string
  /** Where in the app to go in the end. */
  returnTo: string
  /** Milliseconds since 1970. */
  startedAt: number
  /** The person must prove who they are now, however lately they did. */
  isFresh: boolean
  /** The authorization request that waits for it. */
  interaction?: string
  /** The origin of the client that waits for it, where the answer leads in the end. */
  clientOrigin?: string
  /** The session to add this login to, instead of signing in. */
  link?: { userId: string; sessionId: string }
}

/** After so long the answer of the identity provider is not taken any more. */
export const attemptSeconds = 10 * 60
/** Attempts that may wait for an answer at the same time in one browser: one for each tab, within reason. */
const maxAttempts = 5
const purpose = 'login-attempt'

/** Each attempt has a cookie of its own, named by its state, so that tabs do not disturb each other. */
const cookieName = (state: string, { isSecure }: Door) => `${prefixOf(isSecure)}${hashToken(state).slice(0, 12)}`
const prefixOf = (isSecure: boolean) => `${isSecure ? '__Host-' : ''}passport-attempt-`

/** Gives the browser the attempt to keep, sealed. Drops the attempts that it has too many of. */
export function keepAttempt(cookies: Cookies, door: Door, vault: Vault, attempt: Attempt): void {
  const waiting = cookies.names().filter((name) => name.startsWith(prefixOf(door.isSecure)))
  for (const name of waiting.slice(0, Math.max(0, waiting.length + 1 - maxAttempts))) cookies.clear(name)
  const sealed = vault.seal(purpose, JSON.stringify(attempt))
  cookies.set(cookieName(attempt.state, door), sealed, { maxAgeSeconds: attemptSeconds })
}

/** The attempt that the browser keeps for a state; undefined where it has none that we sealed. */
export function findAttempt(cookies: Cookies, door: Door, vault: Vault, state: string): Attempt | undefined {
  const sealed = cookies.get(cookieName(state, door))
  const opened = sealed && vault.open(purpose, sealed)
  const attempt: Attempt | undefined = opened ? JSON.parse(opened) : undefined
  return attempt?.state === state ? attempt : undefined
}

export function forgetAttempt(cookies: Cookies, door: Door, state: string): void {
  cookies.clear(cookieName(state, door))
}

export const isExpired = ({ startedAt }: Attempt, now: number): boolean => now - startedAt > attemptSeconds * 1000
