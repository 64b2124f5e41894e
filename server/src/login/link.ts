import type { Services } from '../feature.ts'
import type { Caller } from '../http/caller.ts'
import type { Cookies } from '../http/cookies.ts'
import { Problem } from '../http/problem.ts'
import { attemptSeconds, storeAttempt } from './attempt.ts'
import { toFailure } from './failure.ts'
import { beginFlow } from './upstream-flow.ts'

/**
 * Starts linking a login: returns the address to visit, and its expiry. The result is linked only into the session that
 * started it.
 */
export async function startLink(services: Services, caller: Caller, sessionId: string, idp: string, cookies: Cookies) {
  const { config, http, upstreams, vault } = services
  if (!upstreams.find(idp)) throw new Problem(404, 'provider-not-found', `The identity provider ${idp} does not exist.`)
  const signInRequest = { idp, returnTo: '/app/account/logins', isFresh: false, link: { userId: caller.id, sessionId } }
  try {
    const { attempt, address } = await beginFlow(upstreams, config.publicUrl, signInRequest, {
      prompt: 'select_account',
    })
    storeAttempt(cookies, http, vault, attempt)
    const expiresAt = new Date(attempt.startedAt + attemptSeconds * 1000).toISOString()
    return { authorizationUrl: address, expiresAt }
  } catch (error) {
    const failure = toFailure(error)
    throw new Problem(502, failure.code, 'The identity provider is not responding.', { cause: error })
  }
}
