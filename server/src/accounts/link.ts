import type { Caller } from '../http/caller.ts'
import type { Cookies } from '../http/cookies.ts'
import { Problem } from '../http/problem.ts'
import { attemptSeconds, keepAttempt } from '../login/attempt.ts'
import { failureOf } from '../login/failure.ts'
import { beginFlow } from '../login/upstream-flow.ts'
import type { Services } from '../room.ts'

/** Whoever adds a way into an account must have proved so lately that it is theirs. */
const maxAgeMs = 5 * 60 * 1000

/** Begins to link a login: where to go, and until when. What comes back is linked only into the session that asks. */
export async function startLink(services: Services, caller: Caller, sessionId: string, idp: string, cookies: Cookies) {
  const { config, door, upstreams, vault } = services
  if (!upstreams.find(idp)) throw new Problem(404, 'provider-not-found', `There is no identity provider ${idp}.`)
  if (Date.now() - Date.parse(caller.authTime) > maxAgeMs) {
    throw new Problem(
      401,
      'reauthentication-required',
      'Sign in again first: this needs a sign-in of the last 5 minutes.',
    )
  }
  const errand = { idp, returnTo: '/app/account/logins', isFresh: false, link: { userId: caller.id, sessionId } }
  try {
    const { attempt, address } = await beginFlow(upstreams, config.publicUrl, errand, { prompt: 'select_account' })
    keepAttempt(cookies, door, vault, attempt)
    const expiresAt = new Date(attempt.startedAt + attemptSeconds * 1000).toISOString()
    return { authorizationUrl: address, expiresAt }
  } catch (error) {
    const failure = failureOf(error)
    throw new Problem(502, failure.code, 'The identity provider does not answer.', { cause: error })
  }
}
