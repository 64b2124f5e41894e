import { discover } from '@passport/contract/discovery'
import { domainOfEmail } from '@passport/contract/domain-name'
import type { Sql } from '../database/sql.ts'
import { findDefaultProvider } from '../discovery/decide-sign-in.ts'
import { applyMappings } from '../entra/apply-mappings.ts'
import * as tenantClaims from '../entra/claims-store.ts'
import { findUpstream, findUpstreamOfTenant } from '../entra/find-upstream.ts'
import type { Feature, Services } from '../feature.ts'
import type { PageRequest, PageResult } from '../http/page.ts'
import { anonymousLimit } from '../http/rate-limit.ts'
import { tenantCallbackId, type Upstream } from '../identity-providers/upstreams.ts'
import { findPendingClient } from '../provider/pending-request.ts'
import { Trace } from '../sign-in-traces/trace.ts'
import { hashToken } from '../vault.ts'
import { findOrCreateAccount, linkIdentity } from './account.ts'
import { hasPurchase } from './admission.ts'
import {
  type Attempt,
  type AttemptOutcome,
  attemptSeconds,
  findAttempt,
  isExpired,
  storeAttempt,
  storeOutcome,
} from './attempt.ts'
import { type CountQuestion, followEmail, showChoice } from './choice.ts'
import { SignInFailure } from './failure.ts'
import { findLoginHint } from './login-hint.ts'
import { createFailureResponder, type RespondWithFailure } from './respond-with-failure.ts'
import { parseReturnUrl, toLandingUrl } from './return-url.ts'
import { startSession } from './start-session.ts'
import { spendAttempt } from './store.ts'
import { readTenantIdentity, type TenantIdentity } from './tenant-claims.ts'
import { finishTest } from './tenant-test.ts'
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
    trace.begin('provider-contacted')
    const ownHint = isFresh ? await findLoginHint(sql, upstream, request.caller) : undefined
    const { attempt, authorizationUrl } = await beginFlow(
      upstreams,
      config.publicUrl,
      { upstream, ...signInRequest },
      { prompt, loginHint: hint ?? ownHint },
    )
    storeAttempt(request.cookies, http, vault, attempt)
    trace.pass('redirected', { to: new URL(authorizationUrl).host }).link('state', attempt.state)
    return { redirect: authorizationUrl }
  } catch (error) {
    return await fail(request, error, { upstream, signInRequest, trace })
  } finally {
    traces.record(trace)
  }
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
  const { http, vault, traces } = services
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
    const isExpected = callbackId === (upstream?.tenant ? tenantCallbackId : upstream?.id)
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
    const spent = await redeem(services, request, { attempt, upstream, warn, trace })
    trace.succeed()
    return { redirect: toDestination({ ...attempt, spent }) }
  } catch (error) {
    const signInRequest = attempt ?? { returnTo: parseReturnUrl(null), isFresh: false }
    return await fail(request, error, { upstream, signInRequest, trace, ...(attempt && { attempt }) })
  } finally {
    traces.record(trace)
  }
}

/** Returns the URL to continue at after a completed attempt. */
function toDestination({ link, test, interaction, returnTo, idp, spent }: Attempt): string {
  if (test) return `${returnTo}?test=passed${spent?.testedAddress ? `&address=${spent.testedAddress}` : ''}`
  if (link) return `${returnTo}?linked=${idp}`
  return interaction ? `/connect/interaction/${interaction}` : toLandingUrl(returnTo)
}

/**
 * Handles a repeated response, for example after a reload. The response is not redeemed again, but the user that it
 * signed in may continue. Throws `SignInFailure`.
 */
function handleReplay({ caller }: PageRequest, attempt: Attempt): PageResult {
  const createdSession = attempt.spent?.session ?? undefined
  const session = setupLinkOf(attempt) ?? caller?.session?.tokenHash
  if (createdSession === undefined || createdSession !== session) throw new SignInFailure('answer-replayed')
  return { redirect: toDestination(attempt) }
}

/** Returns the set-up link of a test. Its browser has the attempt in a cookie that only this server can write. */
const setupLinkOf = ({ test }: Attempt): string | undefined =>
  test && 'setupLinkId' in test ? test.setupLinkId : undefined

/**
 * Redeems the first response to an attempt, then links the login or signs the user in. Returns the outcome. Throws
 * `SignInFailure`.
 */
async function redeem(
  services: Services,
  request: PageRequest,
  { attempt, upstream, warn, trace }: { attempt: Attempt; upstream: Upstream; warn: AuthTimeWarning; trace: Trace },
): Promise<AttemptOutcome> {
  const { http, sql, upstreams, vault } = services
  const { caller, cookies, url, visit } = request
  trace.begin('response-unused')
  if (!(await spendAttempt(sql, attempt.state, attemptSeconds))) throw new SignInFailure('answer-replayed')
  const outcome: AttemptOutcome = { session: null }
  try {
    trace.begin('tenant-enabled')
    if (upstream.tenant?.isEnabled === false && !attempt.test) throw new SignInFailure('tenant-not-enabled')
    const authentication = await finishFlow(upstreams, { upstream, attempt, callbackUrl: url, warn, trace })
    trace.begin('tenant-checked')
    const identity = upstream.tenant && (await readTenantIdentity(services, upstream.tenant, authentication.claims))
    if (identity) trace.pass('tenant-checked', { tenant: upstream.tenant?.id, groups: identity.mapped.groups.length })
    const { claims } = identity ?? authentication
    trace.begin('session-found')
    const sessionOfCaller = caller?.session
    const expected = attempt.test ?? attempt.link
    if (expected && 'sessionId' in expected && sessionOfCaller?.id !== expected.sessionId)
      throw new SignInFailure('session-changed')
    if (attempt.test) {
      await finishTest(sql, attempt.test, caller, visit)
      outcome.session = setupLinkOf(attempt) ?? sessionOfCaller?.tokenHash ?? null
      if (claims.email_verified !== true) outcome.testedAddress = claims.email ? 'unverified' : 'missing'
      trace.pass('test-passed', { email: claims.email_verified === true ? 'verified' : 'not verified' })
    } else if (attempt.link) {
      trace.begin('login-linked').about({ userId: attempt.link.userId })
      const account = await linkIdentity(services, upstream, claims, attempt.link.userId, visit)
      await updateMapped(sql, upstream, account, identity)
      trace.pass('login-linked')
      outcome.session = sessionOfCaller?.tokenHash ?? null
    } else {
      const account = await findOrCreateAccount(sql, upstream, claims, {
        returnTo: attempt.returnTo,
        hasPurchase: () => hasPurchase(services, request),
        visit,
        trace,
      })
      trace.begin('mappings-applied')
      await updateMapped(sql, upstream, account, identity)
      if (identity) trace.pass('mappings-applied')
      trace.begin('session-started')
      outcome.session = hashToken(await startSession(services, request, { attempt, upstream, authentication, account }))
      trace.pass('session-started', { authenticated: authentication.authTime, methods: authentication.amr.join(', ') })
    }
  } finally {
    storeOutcome(cookies, http, vault, attempt, outcome)
  }
  return outcome
}

/** Records the groups and app roles of a user of a tenant, and applies the mappings of its organisation. */
async function updateMapped(
  sql: Sql,
  { tenant }: Upstream,
  { userId, loginId }: { userId: string; loginId: string },
  identity: TenantIdentity | undefined,
) {
  if (!tenant || !identity) return
  await tenantClaims.save(sql, { loginId, orgId: tenant.orgId }, identity.mapped)
  await applyMappings(sql, tenant.orgId, userId)
}
