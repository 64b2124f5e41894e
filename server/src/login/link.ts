import type { Services } from '../feature.ts'
import type { Caller } from '../http/caller.ts'
import type { Cookies } from '../http/cookies.ts'
import { attemptSeconds, storeAttempt } from './attempt.ts'
import { type FailureCode, toFailure } from './failure.ts'
import * as problems from './problems.ts'
import { beginFlow } from './upstream-flow.ts'

/** Failures before the user is at the provider. The others need a response of the user. */
const startFailures: Partial<Record<FailureCode, typeof problems.providerUnreachable>> = {
  'provider-misconfigured': problems.providerMisconfigured,
  'issuer-wrong': problems.issuerWrong,
  'answer-invalid': problems.answerInvalid,
}

/**
 * Starts linking a login: returns the address to visit, and its expiry. The result is linked only into the session that
 * started it.
 */
export async function startLink(services: Services, caller: Caller, sessionId: string, idp: string, cookies: Cookies) {
  const { config, http, upstreams, vault } = services
  if (!upstreams.find(idp)) throw problems.providerNotFound(idp)
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
    const failed = startFailures[failure.code] ?? problems.providerUnreachable
    throw failed(error)
  }
}
