import type { SessionCaller } from '../accounts/session-store.ts'

/** Why an authorization request needs the user, as reported by the protocol library. */
export interface InteractionNeed {
  uid: string
  prompt: string
  reasons: string[]
  maxAgeSeconds: number | undefined
}

/** Continue with the current session, or go to the identity provider, with a forced sign-in or for another account. */
export type Step = 'go on' | 'sign in' | 'sign in afresh' | 'choose another'

/** The maximum delay between an authentication for a request and its return. */
const freshSeconds = 60

/**
 * Decides the next step of an authorization request. A fresh authentication is identified by its session, which names
 * the request; timestamps alone would accept one of the same second.
 */
export function chooseStep(
  interaction: InteractionNeed,
  session: Pick<SessionCaller, 'interaction' | 'authTime'> | undefined,
  now: number,
): Step {
  const { reasons, maxAgeSeconds = Number.POSITIVE_INFINITY } = interaction
  const ageSeconds = session ? (now - Date.parse(session.authTime)) / 1000 : 0
  // The provider may have remembered an old sign-in; a fresh one is only seconds old.
  if (session?.interaction === interaction.uid && ageSeconds <= Math.max(maxAgeSeconds, freshSeconds)) return 'go on'
  if (interaction.prompt === 'select_account') return 'choose another'
  if (reasons.includes('id_token_hint') || reasons.includes('claims_id_token_sub_value')) return 'choose another'
  if (reasons.includes('login_prompt')) return 'sign in afresh'
  if (session && ageSeconds > maxAgeSeconds) return 'sign in afresh'
  if (!session) return maxAgeSeconds === 0 ? 'sign in afresh' : 'sign in'
  return 'go on'
}

/**
 * Returns the sign-in page for a step; `loginHint` is the user that the client expects (OpenID Connect Core, section
 * 3.1.2.1).
 */
export function signInUrl(uid: string, step: Exclude<Step, 'go on'>, loginHint?: unknown): string {
  const prompt = { 'sign in': '', 'sign in afresh': '&prompt=login', 'choose another': '&prompt=select_account' }[step]
  const hint = typeof loginHint === 'string' ? `&login_hint=${encodeURIComponent(loginHint.slice(0, 256))}` : ''
  return `/login?interaction=${encodeURIComponent(uid)}${prompt}${hint}`
}
