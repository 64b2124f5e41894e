import { findUpstream } from '../entra/find-upstream.ts'
import type { Services } from '../feature.ts'
import type { Caller } from '../http/caller.ts'
import type { Cookies } from '../http/cookies.ts'
import type { Visit } from '../http/visit.ts'
import type { Upstream } from '../identity-providers/upstreams.ts'
import { Trace } from '../sign-in-traces/trace.ts'
import { attemptSeconds, storeAttempt } from './attempt.ts'
import { type FailureCode, toFailure } from './failure.ts'
import * as problems from './problems.ts'
import { beginFlow } from './upstream-flow.ts'

/**
 * The problems of the failures that are possible before the redirect to the provider. Any other failure means that the
 * provider is unreachable.
 */
const startProblems: Partial<Record<FailureCode, typeof problems.providerUnreachable>> = {
  'provider-misconfigured': problems.providerMisconfigured,
  'issuer-wrong': problems.issuerWrong,
  'answer-invalid': problems.answerInvalid,
}

/**
 * Starts linking a login. Returns the authorization URL to open and its expiry. The login is linked only if the
 * response arrives in the same session. Throws 404 and 502.
 */
export async function startLink(services: Services, { caller, sessionId, idp, cookies, visit }: LinkRequest) {
  const { config, http, upstreams, vault } = services
  const upstream = await findUpstream(services, idp)
  if (!upstream || upstream.tenant?.isEnabled === false) throw problems.providerNotFound(idp)
  const link = { userId: caller.id, sessionId }
  const signInRequest = { upstream, returnTo: '/app/account/logins', isFresh: false, link }
  try {
    const { attempt, authorizationUrl } = await beginFlow(upstreams, config.publicUrl, signInRequest, {
      prompt: 'select_account',
    })
    storeAttempt(cookies, http, vault, attempt)
    const expiresAt = new Date(attempt.startedAt + attemptSeconds * 1000).toISOString()
    return { authorizationUrl, expiresAt }
  } catch (error) {
    throw toStartProblem(services, { upstream, caller, visit }, error)
  }
}

interface LinkRequest {
  caller: Caller
  sessionId: string
  idp: string
  cookies: Cookies
  visit: Visit
}

/**
 * Converts an error before the redirect to the provider to a problem, 502, and records it as the trace of the request.
 * Unknown errors are rethrown.
 */
export function toStartProblem(
  { traces }: Pick<Services, 'traces'>,
  { upstream, caller, visit }: { upstream: Upstream; caller: Pick<Caller, 'id'>; visit: Visit },
  error: unknown,
) {
  const { code, message } = toFailure(error)
  const trace = new Trace('start', visit).about({ provider: upstream.id, userId: caller.id })
  traces.record(trace.begin('provider-contacted').fail(code, { message }))
  return (startProblems[code] ?? problems.providerUnreachable)(error)
}
