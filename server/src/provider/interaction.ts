import type { SessionCaller } from '../accounts/session-store.ts'

/** The reason for which an authorization request needs the user, as reported by the protocol library. */
export interface InteractionNeed {
  uid: string
  prompt: string
  reasons: string[]
  maxAgeSeconds: number | undefined
}

/**
 * Continue with the current session, or go to the identity provider: as usual, to reauthenticate or to switch users.
 */
export type Step = 'continue' | 'sign in' | 'reauthenticate' | 'select account'

/** The maximum age of an authentication at its return from the identity provider. */
const freshSeconds = 60

/**
 * Chooses the next step of an authorization request. An authentication for this request is recognized by its session,
 * which names the request: by time alone, an earlier one of the same second would be accepted.
 */
export function chooseStep(
  interaction: InteractionNeed,
  session: Pick<SessionCaller, 'interaction' | 'authTime'> | undefined,
  now: number,
): Step {
  const { reasons, maxAgeSeconds = Number.POSITIVE_INFINITY } = interaction
  const ageSeconds = session ? (now - Date.parse(session.authTime)) / 1000 : 0
  // The provider may have reused an earlier authentication; a new one is seconds old.
  if (session?.interaction === interaction.uid && ageSeconds <= Math.max(maxAgeSeconds, freshSeconds)) return 'continue'
  if (interaction.prompt === 'select_account') return 'select account'
  if (reasons.includes('id_token_hint') || reasons.includes('claims_id_token_sub_value')) return 'select account'
  if (reasons.includes('login_prompt')) return 'reauthenticate'
  if (session && ageSeconds > maxAgeSeconds) return 'reauthenticate'
  if (!session) return maxAgeSeconds === 0 ? 'reauthenticate' : 'sign in'
  return 'continue'
}

/**
 * Builds the URL of the sign-in page for a step; `loginHint` is the user that the client expects (OpenID Connect Core,
 * section 3.1.2.1).
 */
export function buildSignInUrl(uid: string, step: Exclude<Step, 'continue'>, loginHint?: unknown): string {
  const prompt = { 'sign in': '', reauthenticate: '&prompt=login', 'select account': '&prompt=select_account' }[step]
  const hint = typeof loginHint === 'string' ? `&login_hint=${encodeURIComponent(loginHint.slice(0, 256))}` : ''
  return `/login?interaction=${encodeURIComponent(uid)}${prompt}${hint}`
}
