import type { Context } from './context.ts'
import type { SigninError } from './errors.ts'
import type { SessionStatus } from './session/monitor.ts'
import { omitEmpty } from './settings.ts'
import { type SilentRequestOptions, signinInFrame } from './sign-in.ts'

/** Errors that mean that the provider would need user interaction (OpenID Connect Core, section 3.1.2.6). */
const interactionErrors = ['login_required', 'consent_required', 'interaction_required', 'account_selection_required']

/**
 * Queries the provider's session without signing in. It sends no `id_token_hint`, so the result is the session of
 * whichever user is signed in there. Undefined if the response has no session state. Without a session, rejects with
 * the provider's error, or with `monitorAnonymousSession` returns the anonymous session.
 */
export async function querySessionStatus(
  context: Context,
  options: SilentRequestOptions,
): Promise<SessionStatus | undefined> {
  const { query_status_response_type: response_type, monitorAnonymousSession } = context.settings
  try {
    const frameOptions = { response_type, scope: 'openid', ...omitEmpty(options), skipUserInfo: true }
    const { session_state, profile } = await signinInFrame(context, frameOptions)
    return session_state ? { session_state, sub: profile.sub, sid: profile.sid } : undefined
  } catch (error) {
    const { code, sessionState } = error as SigninError
    if (!monitorAnonymousSession || !sessionState || !interactionErrors.includes(code)) throw error
    return { session_state: sessionState }
  }
}
