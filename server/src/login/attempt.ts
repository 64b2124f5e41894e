import type { Cookies } from '../http/cookies.ts'
import type { HttpContext } from '../http/http-context.ts'
import type { Prompt } from '../identity-providers/provider-choices.ts'
import { hashToken, type Vault } from '../vault.ts'

/** The state of a sign-in attempt until the identity provider responds. */
export interface Attempt {
  state: string
  nonce: string
  codeVerifier: string
  idp: string
  /** The URL in the app to return to, without the origin. */
  returnTo: string
  /** Milliseconds since 1970. */
  startedAt: number
  /** Whether the provider must authenticate the user again, however recent the last time was. */
  isFresh: boolean
  /** The `prompt` that the provider was sent. */
  prompt?: Prompt
  /** The request to the provider has nothing that it has rejected before. */
  isPlain?: true
  /** The id of the pending authorization request. */
  interaction?: string
  /** The id of the pending request's client. */
  clientId?: string
  /** The origin of the pending request's client, which the response will finally redirect to. */
  clientOrigin?: string
  /** The name of that client. */
  clientName?: string
  /** The domain of the email address that the user entered, for the record of a failure. */
  domain?: string
  /** The name to prefill in the form of the built-in directory. */
  loginHint?: string
  /** The session to add this login to, instead of signing in. */
  link?: { userId: string; sessionId: string }
  /**
   * Who tests the sign-in of an organisation, instead of signing in: the session of an administrator, or the browser of a
   * set-up link.
   */
  test?: { orgId: string } & ({ userId: string; sessionId: string } | { setupLinkId: string })
  /** The outcome, once the response has arrived. */
  spent?: AttemptOutcome
}

export interface AttemptOutcome {
  /**
   * The token hash of the session that the response started, linked a login to or was tested in; null if the sign-in
   * failed. The test of a set-up link has the id of the link.
   */
  session: string | null
  /** Why the email address of the tested user proves nothing. */
  testedAddress?: 'unverified' | 'missing'
}

/** The time in which the identity provider's response is accepted. */
export const attemptSeconds = 10 * 60
/**
 * The lifetime of the cookie. It exceeds that of the attempt, so that late and repeated responses get a clear error.
 */
const cookieSeconds = 60 * 60
/** The maximum number of attempts per browser; each tab may have one. */
const maxAttempts = 5
const purpose = 'login-attempt'

/** Returns the public name of an attempt, for the path of the directory's form. Its state stays secret. */
export const handleOf = ({ state }: Pick<Attempt, 'state'>): string => hashToken(state).slice(0, 12)

/** Each attempt has its own cookie, named by its state, so that tabs do not interfere. */
const cookieNameOf = (state: string, { isSecure }: HttpContext) => `${prefixOf(isSecure)}${handleOf({ state })}`
const prefixOf = (isSecure: boolean) => `${isSecure ? '__Host-' : ''}passport-attempt-`

/** Stores the encrypted attempt in the browser. Drops surplus attempts, completed ones first. */
export function storeAttempt(cookies: Cookies, http: HttpContext, vault: Vault, attempt: Attempt): void {
  const isDone = (name: string) => {
    const stored = openAttempt(cookies, vault, name)
    return !stored || stored.spent !== undefined || isExpired(stored, Date.now())
  }
  const names = cookies.names().filter((name) => name.startsWith(prefixOf(http.isSecure)))
  const leastNeededFirst = [...names.filter(isDone), ...names.filter((name) => !isDone(name))]
  for (const name of leastNeededFirst.slice(0, Math.max(0, names.length + 1 - maxAttempts))) cookies.clear(name)
  setAttempt(cookies, http, vault, attempt)
}

/** Records in the browser that the response to an attempt has arrived, and its outcome. */
export function storeOutcome(
  cookies: Cookies,
  http: HttpContext,
  vault: Vault,
  attempt: Attempt,
  outcome: AttemptOutcome,
): void {
  setAttempt(cookies, http, vault, { ...attempt, nonce: '', codeVerifier: '', spent: outcome })
}

function setAttempt(cookies: Cookies, http: HttpContext, vault: Vault, attempt: Attempt) {
  const sealed = vault.seal(purpose, JSON.stringify(attempt))
  cookies.set(cookieNameOf(attempt.state, http), sealed, { maxAgeSeconds: cookieSeconds })
}

/** Returns the browser's attempt with this state; undefined if there is none that this installation encrypted. */
export function findAttempt(cookies: Cookies, http: HttpContext, vault: Vault, state: string): Attempt | undefined {
  const attempt = openAttempt(cookies, vault, cookieNameOf(state, http))
  return attempt?.state === state ? attempt : undefined
}

/** Returns the browser's attempt with this handle; undefined if there is none that this installation encrypted. */
export function findAttemptByHandle(
  cookies: Cookies,
  { isSecure }: HttpContext,
  vault: Vault,
  handle: string,
): Attempt | undefined {
  const attempt = openAttempt(cookies, vault, prefixOf(isSecure) + handle)
  return attempt && handleOf(attempt) === handle ? attempt : undefined
}

function openAttempt(cookies: Cookies, vault: Vault, name: string): Attempt | undefined {
  const sealed = cookies.get(name)
  const opened = sealed && vault.open(purpose, sealed)
  return opened ? JSON.parse(opened) : undefined
}

export const isExpired = ({ startedAt }: Attempt, now: number): boolean => now - startedAt > attemptSeconds * 1000
