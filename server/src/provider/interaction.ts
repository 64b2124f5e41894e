import type { AdapterPayload, InteractionResults } from 'oidc-provider'
import type { SessionCaller } from '../accounts/session-store.ts'
import { cutText } from '../http/storable-text.ts'

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
  const hint = typeof loginHint === 'string' ? `&login_hint=${encodeURIComponent(cutText(loginHint, 256))}` : ''
  return `/login?interaction=${encodeURIComponent(uid)}${prompt}${hint}`
}

/** Returns the URL of an authorization request that continues after its interaction. */
export const buildResumeUrl = (uid: string): string => `/connect/authorize/${encodeURIComponent(uid)}`

/** A session, as the result of an interaction needs it. */
export interface ResultSession {
  userId: string
  /** ISO 8601. */
  authTime: string
  amr: string[]
  acr: string | null
}

/** Returns the result of an interaction whose user has this session. */
export function buildLoginResult(prompt: string, { userId, authTime, amr, acr }: ResultSession): InteractionResults {
  const ts = Math.floor(Date.parse(authTime) / 1000)
  const login = { accountId: userId, ts, amr, ...(acr && { acr }) }
  return { login, ...(prompt === 'select_account' && { select_account: {} }) }
}

/** A stored interaction, as the protocol library saves it. */
export type StoredInteraction = Pick<AdapterPayload, 'prompt' | 'params' | 'session' | 'lastSubmission' | 'result'>

/**
 * Returns the result of an interaction that has none yet, if the user has signed in for it: then the request continues
 * from the form. Undefined for an interaction that needs something else, or had a session before.
 */
export function deriveResult(
  uid: string,
  { prompt, params, session, lastSubmission, result }: StoredInteraction,
  caller: (ResultSession & { interaction: string | null }) | undefined,
  now: number,
): InteractionResults | undefined {
  if (result || !caller || !prompt || prompt.name === 'consent' || session || caller.interaction !== uid)
    return undefined
  const need = { uid, prompt: prompt.name, reasons: prompt.reasons, maxAgeSeconds: readMaxAge(params) }
  if (chooseStep(need, caller, now) !== 'continue') return undefined
  return { ...lastSubmission, ...buildLoginResult(prompt.name, caller) }
}

/** Returns `max_age` of an authorization request, in seconds. */
export function readMaxAge(params: Record<string, unknown> = {}): number | undefined {
  const maxAge = params['max_age'] as string | number | undefined
  return maxAge === undefined ? undefined : Number(maxAge)
}
