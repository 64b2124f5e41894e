import type { SessionCaller } from '../sessions/store.ts'

/** Why an authorization request needs the person, as the protocol library tells it. */
export interface Need {
  uid: string
  prompt: string
  reasons: string[]
  maxAgeSeconds: number | undefined
}

/** Go on with the session that is there, or to the identity provider, and there afresh or for another account. */
export type Step = 'go on' | 'sign in' | 'sign in afresh' | 'choose another'

/** An authentication that was made for a request takes at most this long to come back. */
const freshSeconds = 60

/**
 * What to do about an authorization request. That an authentication is fresh is told by the session that it made, which
 * names the request; times alone would take one of the same second for it.
 */
export function stepFor(
  need: Need,
  session: Pick<SessionCaller, 'interaction' | 'authTime'> | undefined,
  now: number,
): Step {
  const { reasons, maxAgeSeconds = Number.POSITIVE_INFINITY } = need
  const ageSeconds = session ? (now - Date.parse(session.authTime)) / 1000 : 0
  // The provider may have remembered them from long ago; one that was made afresh is some seconds old by now.
  if (session?.interaction === need.uid && ageSeconds <= Math.max(maxAgeSeconds, freshSeconds)) return 'go on'
  if (need.prompt === 'select_account') return 'choose another'
  if (reasons.includes('id_token_hint') || reasons.includes('claims_id_token_sub_value')) return 'choose another'
  if (reasons.includes('login_prompt')) return 'sign in afresh'
  if (session && ageSeconds > maxAgeSeconds) return 'sign in afresh'
  if (!session) return maxAgeSeconds === 0 ? 'sign in afresh' : 'sign in'
  return 'go on'
}

/** The page of the login room that does a step; `loginHint` is whom the client expects (OpenID Connect Core, section 3.1.2.1). */
export function signInAddress(uid: string, step: Exclude<Step, 'go on'>, loginHint?: unknown): string {
  const prompt = { 'sign in': '', 'sign in afresh': '&prompt=login', 'choose another': '&prompt=select_account' }[step]
  const hint = typeof loginHint === 'string' ? `&login_hint=${encodeURIComponent(loginHint.slice(0, 256))}` : ''
  return `/login?interaction=${encodeURIComponent(uid)}${prompt}${hint}`
}
