import { discover } from '@passport/contract/discovery'
import { domainOfEmail } from '@passport/contract/domain-name'
import { findDefaultProvider } from '../discovery/decide-sign-in.ts'
import { findUpstream, findUpstreamOfTenant } from '../entra/find-upstream.ts'
import type { Feature, Services } from '../feature.ts'
import type { PageRequest, PageResult } from '../http/page.ts'
import { anonymousLimit } from '../http/rate-limit.ts'
import { tenantCallbackId, type Upstream } from '../identity-providers/upstreams.ts'
import { authenticateUser } from '../local-directory/authenticate.ts'
import { showSignInForm } from '../local-directory/form.ts'
import { rememberDevice } from '../local-directory/lockout.ts'
import { redeemSignUp } from '../local-directory/offer-sign-up.ts'
import { findPendingClient } from '../provider/pending-request.ts'
import { Trace } from '../sign-in-traces/trace.ts'
import { type Attempt, findAttempt, isExpired, storeAttempt } from './attempt.ts'
import { type CountQuestion, followEmail, showChoice } from './choice.ts'
import { completeAttempt, handleReplay } from './complete.ts'
import { SignInFailure } from './failure.ts'
import { findLoginHint } from './login-hint.ts'
import { createFailureResponder, type RespondWithFailure } from './respond-with-failure.ts'
import { parseReturnUrl } from './return-url.ts'
import { readTenantIdentity } from './tenant-claims.ts'
import {
  type AuthTimeWarning,
  beginFlow,
  choosePrompt,
  createAuthTimeWarning,
  finishFlow,
  type SignInRequest,
} from './upstream-flow.ts'

/** Sign-in to Passport itself: the choice of an identity provider, the redirect to it, and the callback. */
export const login: Feature = ({ page }, services) => {
  const warn = createAuthTimeWarning(services.log)
  const fail = createFailureResponder(services)
  const { rateLimit } = discover
  const countQuestion = services.http.limitAddress({ ...rateLimit, name: rateLimit.sharedAs })
  page('GET', '/login', (request) => startSignIn(services, request, countQuestion, fail), {
    rateLimit: anonymousLimit('login'),
    waitsForOthers: true,
  })
  page('GET', '/login/callback/{idp}', (request) => finishSignIn(services, request, warn, fail), {
    rateLimit: anonymousLimit('callback'),
    waitsForOthers: true,
  })
}

async function startSignIn(
  services: Services,
  request: PageRequest,
  countQuestion: CountQuestion,
  fail: RespondWithFailure,
): Promise<PageResult> {
  const { config, http, sql, traces, upstreams, vault } = services
  const { searchParams: query } = request.url
  const email = query.has('idp') || query.has('tenant') ? null : getSingleValue(query, 'email')
  if (email !== null) return followEmail(services, request, email, countQuestion)
  const upstream = await findRequestedUpstream(services, query)
  if (!upstream) return showChoice(services, request)
  const interaction = query.get('interaction') ?? undefined
  const client = interaction ? await findPendingClient(services, interaction) : {}
  const promptParameter = query.get('prompt')
  const isFresh = promptParameter === 'login'
  const hint = getSingleValue(query, 'login_hint')?.slice(0, 256)
  const domain = hint === undefined ? undefined : domainOfEmail(hint)
  const signInRequest = {
    returnTo: parseReturnUrl(getSingleValue(query, 'returnUrl')),
    isFresh,
    ...(interaction && { interaction }),
    ...(domain && { domain }),
    ...client,
  }
  const trace = beginTrace(request, signInRequest, promptParameter)
  trace.pass('provider-chosen', { provider: upstream.name, by: describeChoice(query) }).about({ provider: upstream.id })
  try {
    const prompt = choosePrompt(promptParameter, request.caller !== undefined && !interaction)
    if (upstream.kind === 'oidc') trace.begin('provider-contacted')
    const ownHint = isFresh ? await findLoginHint(sql, upstream, request.caller) : undefined
    const { attempt, authorizationUrl } = await beginFlow(
      upstreams,
      config.publicUrl,
      { upstream, ...signInRequest },
      { prompt, loginHint: hint ?? ownHint },
    )
    trace.link('state', attempt.state)
    if (upstream.kind === 'local') return await startAtDirectory(services, request, { attempt, upstream, trace })
    storeAttempt(request.cookies, http, vault, attempt)
    trace.pass('redirected', { to: new URL(authorizationUrl).host })
    return { redirect: authorizationUrl }
  } catch (error) {
    return await fail(request, error, { upstream, signInRequest, trace })
  } finally {
    traces.record(trace)
  }
}

/** Shows the form of the built-in directory, or signs a user in who has just signed up there. */
async function startAtDirectory(
  services: Services,
  request: PageRequest,
  { attempt, upstream, trace }: { attempt: Attempt; upstream: Upstream; trace: Trace },
): Promise<PageResult> {
  const { http, vault } = services
  const user = await redeemSignUp(services, request.cookies, attempt.loginHint ?? '')
  if (user) {
    rememberDevice(request.cookies, vault, user.email)
    const authenticate = async () => ({ authentication: authenticateUser(upstream, user) })
    return completeAttempt(services, request, { attempt, upstream, trace, subject: user.id, authenticate })
  }
  storeAttempt(request.cookies, http, vault, attempt)
  trace.pass('form-shown')
  return showSignInForm(services, request, attempt)
}

/** Begins the trace of a sign-in, with its purpose. */
function beginTrace({ visit }: PageRequest, request: Omit<SignInRequest, 'idp'>, prompt: string | null): Trace {
  const { returnTo, interaction, clientId, clientName, clientOrigin, domain } = request
  const trace = new Trace('start', visit).link('interaction', interaction).about({ client: clientId, domain })
  // A query may have anything.
  trace.pass('request-received', { prompt, to: interaction ? undefined : returnTo.split(/[?#]/)[0] })
  if (clientName) trace.pass('application-found', { application: clientName, origin: clientOrigin })
  if (domain) trace.pass('home-realm', { domain })
  return trace
}

/** Describes what chose the identity provider. */
function describeChoice(query: URLSearchParams): string {
  if (query.has('tenant')) return 'tenant of the organisation'
  return query.has('idp') ? 'user or application' : 'only identity provider'
}

/**
 * Finds the identity provider of a request; undefined if the user must choose one. A tenant counts only while its
 * organisation lets it sign in.
 */
async function findRequestedUpstream(services: Services, query: URLSearchParams): Promise<Upstream | undefined> {
  const upstream = await findNamedUpstream(services, query.get('tenant'), query.get('idp'))
  return upstream?.tenant?.isEnabled === false ? undefined : upstream
}

async function findNamedUpstream(services: Services, tenantId: string | null, idp: string | null) {
  if (tenantId !== null) return findUpstreamOfTenant(services, tenantId)
  return findUpstream(services, idp ?? (await findDefaultProvider(services))?.id ?? '')
}

/** Returns the value of a parameter; null if the parameter is missing or repeated. */
function getSingleValue(query: URLSearchParams, name: string): string | null {
  const values = query.getAll(name)
  return values.length === 1 ? (values[0] ?? null) : null
}

async function finishSignIn(
  services: Services,
  request: PageRequest,
  warn: AuthTimeWarning,
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
    const signInRequest = attempt ?? { returnTo: parseReturnUrl(null), isFresh: false }
    return await fail(request, error, { upstream, signInRequest, trace, ...(attempt && { attempt }) })
  } finally {
    traces.record(trace)
  }
}
