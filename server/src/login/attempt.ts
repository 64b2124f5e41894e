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
  /** Its answer has come. */
  spent?: Spent
}

interface Spent {
  /** The session that the answer made or was for, by the hash of its name; null where it came to nothing. */
  session: string | null
}

/** After so long the answer of the identity provider is not taken any more. */
export const attemptSeconds = 10 * 60
/** The browser knows an attempt longer than it is good for: who comes back late or again is told so. */
const rememberedSeconds = 60 * 60
/** Attempts that one browser remembers at the same time: one for each tab, within reason. */
const maxAttempts = 5
const purpose = 'login-attempt'

/** Each attempt has a cookie of its own, named by its state, so that tabs do not disturb each other. */
const cookieName = (state: string, { isSecure }: Door) => `${prefixOf(isSecure)}${hashToken(state).slice(0, 12)}`
const prefixOf = (isSecure: boolean) => `${isSecure ? '__Host-' : ''}passport-attempt-`

/** Gives the browser the attempt to keep, sealed. Drops the attempts that it has too many of, those first that are over. */
export function keepAttempt(cookies: Cookies, door: Door, vault: Vault, attempt: Attempt): void {
  const isOver = (name: string) => {
    const kept = openAttempt(cookies, vault, name)
    return !kept || kept.spent !== undefined || isExpired(kept, Date.now())
  }
  const kept = cookies.names().filter((name) => name.startsWith(prefixOf(door.isSecure)))
  const byWorth = [...kept.filter(isOver), ...kept.filter((name) => !isOver(name))]
  for (const name of byWorth.slice(0, Math.max(0, kept.length + 1 - maxAttempts))) cookies.clear(name)
  setAttempt(cookies, door, vault, attempt)
}

/** Notes in the browser that the answer to an attempt has come, and what it came to. */
export function keepSpent(cookies: Cookies, door: Door, vault: Vault, attempt: Attempt, spent: Spent): void {
  setAttempt(cookies, door, vault, { ...attempt, nonce: '', codeVerifier: '', spent })
}

function setAttempt(cookies: Cookies, door: Door, vault: Vault, attempt: Attempt) {
  const sealed = vault.seal(purpose, JSON.stringify(attempt))
  cookies.set(cookieName(attempt.state, door), sealed, { maxAgeSeconds: rememberedSeconds })
}

/** The attempt that the browser keeps for a state; undefined where it has none that we sealed. */
export function findAttempt(cookies: Cookies, door: Door, vault: Vault, state: string): Attempt | undefined {
  const attempt = openAttempt(cookies, vault, cookieName(state, door))
  return attempt?.state === state ? attempt : undefined
}

function openAttempt(cookies: Cookies, vault: Vault, name: string): Attempt | undefined {
  const sealed = cookies.get(name)
  const opened = sealed && vault.open(purpose, sealed)
  return opened ? JSON.parse(opened) : undefined
}

export const isExpired = ({ startedAt }: Attempt, now: number): boolean => now - startedAt > attemptSeconds * 1000
