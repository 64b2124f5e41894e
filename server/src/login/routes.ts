import { findUpstream } from '../entra/find-upstream.ts'
import type { Feature, Services } from '../feature.ts'
import type { PageRequest, PageResult } from '../http/page.ts'
import { anonymousLimit } from '../http/rate-limit.ts'
import type { Upstream } from '../identity-providers/upstreams.ts'
import { tenantCallbackId } from '../identity-providers/upstreams.ts'
import { startAtDirectory } from '../local-directory/start-at-directory.ts'
import { Trace } from '../sign-in-traces/trace.ts'
import { type Attempt, findAttempt, isExpired, storeAttempt } from './attempt.ts'
import { completeAttempt, handleReplay } from './complete.ts'
import { SignInFailure } from './failure.ts'
import { serveProviderSignOut } from './provider-sign-out.ts'
import { createFailureResponder, type RespondWithFailure } from './respond-with-failure.ts'
import { parseReturnUrl } from './return-url.ts'
import { createSignInStart, getSingleValue } from './start-sign-in.ts'
import { readTenantIdentity } from './tenant-claims.ts'
import { beginPlainFlow, createProviderWarnings, finishFlow, type ProviderWarnings } from './upstream-flow.ts'

/** Sign-in to Passport itself: the choice of an identity provider, the redirect to it, and the callback. */
export const login: Feature = ({ page }, services) => {
  const warn = createProviderWarnings(services.log)
  const fail = createFailureResponder(services)
  const startSignIn = createSignInStart(services, startAtDirectory)
  page('GET', '/login', (request) => startSignIn(request), {
    rateLimit: anonymousLimit('login'),
    waitsForOthers: true,
  })
  page('GET', '/login/callback/{idp}', (request) => finishSignIn(services, request, warn, fail), {
    rateLimit: anonymousLimit('callback'),
    waitsForOthers: true,
  })
  serveProviderSignOut(page, services)
}

async function finishSignIn(
  services: Services,
  request: PageRequest,
  warn: ProviderWarnings,
  fail: RespondWithFailure,
): Promise<PageResult> {
  const { http, vault, traces, upstreams } = services
  const callbackId = request.params['idp'] ?? ''
  const state = getSingleValue(request.url.searchParams, 'state') ?? ''
  const attempt = findAttempt(request.cookies, http, vault, state)
  const idp = callbackId === tenantCallbackId ? (attempt?.idp ?? '') : callbackId
  const upstream = await findUpstream(services, idp)
  const trace = new Trace('callback', request.visit)
  if (state !== '') trace.link('state', state)
  trace.about({ provider: upstream?.id, client: attempt?.clientId, domain: attempt?.domain })
  trace.link('interaction', attempt?.interaction)
  trace.pass('response-received', {
    provider: upstream?.name,
    error: getSingleValue(request.url.searchParams, 'error'),
  })
  try {
    trace.begin('attempt-matched')
    // The built-in directory has no callback: its form completes the attempt.
    const isExpected = upstream?.kind === 'oidc' && callbackId === (upstream.tenant ? tenantCallbackId : upstream.id)
    if (!attempt || !upstream || !isExpected || attempt.idp !== upstream.id) throw new SignInFailure('state-unknown')
    trace.pass('attempt-matched', { started: new Date(attempt.startedAt).toISOString() })
    trace.begin('response-unused')
    if (attempt.spent) {
      const result = handleReplay(request, attempt)
      trace.pass('session-found').succeed()
      return result
    }
    trace.begin('in-time')
    if (isExpired(attempt, Date.now())) throw new SignInFailure('attempt-expired')
    const authenticate = async () => {
      const callbackUrl = request.url
      const authentication = await finishFlow(upstreams, { upstream, attempt, callbackUrl, warn, trace })
      trace.begin('tenant-checked')
      const identity = upstream.tenant && (await readTenantIdentity(services, upstream.tenant, authentication.claims))
      if (identity) trace.pass('tenant-checked', { tenant: upstream.tenant?.id, groups: identity.mapped.groups.length })
      return { authentication, identity }
    }
    return await completeAttempt(services, request, { attempt, upstream, trace, authenticate })
  } catch (error) {
    const retry = await retryPlainly(services, request, { upstream, attempt, trace, error })
    if (retry) return retry
    const signInRequest = attempt ?? { returnTo: parseReturnUrl(null), isFresh: false }
    return await fail(request, error, { upstream, signInRequest, trace, ...(attempt && { attempt }) })
  } finally {
    traces.record(trace)
  }
}

/**
 * Sends the browser to the provider again, if its error may be about the prompt or the scopes: the user could not get
 * past such an error. Returns undefined for any other error.
 */
async function retryPlainly(
  { config, http, upstreams, vault }: Services,
  { cookies }: PageRequest,
  {
    upstream,
    attempt,
    trace,
    error,
  }: { upstream: Upstream | undefined; attempt: Attempt | undefined; trace: Trace; error: unknown },
): Promise<PageResult | undefined> {
  if (!upstream || !attempt) return undefined
  // If the provider is unreachable now, its error stands.
  const retry = await beginPlainFlow(upstreams, config.publicUrl, { upstream, attempt, error }).catch(() => undefined)
  if (!retry) return undefined
  storeAttempt(cookies, http, vault, retry.attempt)
  trace.link('state', retry.attempt.state)
  trace.pass('redirected', { to: new URL(retry.authorizationUrl).host, without: attempt.prompt })
  return { redirect: retry.authorizationUrl }
}
