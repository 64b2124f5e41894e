import type { Context } from './context.ts'
import type { SigninError } from './errors.ts'
import type { SessionStatus } from './session/monitor.ts'
import { type SigninOptions, signinInFrame } from './sign-in.ts'

/** With these the provider says that it would have to ask somebody (OpenID Connect Core, section 3.1.2.6). */
const nobodyIsThere = ['login_required', 'consent_required', 'interaction_required', 'account_selection_required']

/**
 * Asks the provider whose session it has, without signing anybody in. Undefined where its answer has no session state.
 * With `monitorAnonymousSession` nobody's session is an answer too; without, it is the provider's error.
 */
export async function querySessionStatus(context: Context, options: SigninOptions): Promise<SessionStatus | undefined> {
  const { query_status_response_type: response_type, monitorAnonymousSession } = context.settings
  try {
    const asked = { response_type, scope: 'openid', ...options, skipUserInfo: true }
    const { session_state, profile } = await signinInFrame(context, asked)
    return session_state ? { session_state, sub: profile.sub, sid: profile.sid } : undefined
  } catch (error) {
    const { code, sessionState } = error as SigninError
    if (!monitorAnonymousSession || !sessionState || !nobodyIsThere.includes(code)) throw error
    return { session_state: sessionState }
  }
}
