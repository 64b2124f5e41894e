import type { Sql } from '../database/sql.ts'
import * as tenantClaims from '../entra/claims-store.ts'
import type { Services } from '../feature.ts'
import type { PageRequest, PageResult } from '../http/page.ts'
import type { Upstream } from '../identity-providers/upstreams.ts'
import { applyMappings } from '../mappings/apply-mappings.ts'
import { buildContinueUrl } from '../provider/pending-request.ts'
import type { Trace } from '../sign-in-traces/trace.ts'
import { hashToken } from '../vault.ts'
import { findOrCreateAccount, labelOf, linkIdentity } from './account.ts'
import { hasPurchase } from './admission.ts'
import { type Attempt, type AttemptOutcome, attemptSeconds, storeOutcome } from './attempt.ts'
import { AttemptClaim } from './claim.ts'
import { SignInFailure } from './failure.ts'
import { type Browser, readBrowser } from './new-device.ts'
import { toLandingUrl } from './return-url.ts'
import { startSession } from './start-session.ts'
import type { Proof, SignInAccount } from './store.ts'
import type { TenantIdentity } from './tenant-claims.ts'
import { finishTest } from './tenant-test.ts'
import type { Authentication } from './upstream-flow.ts'

/** The end of an attempt at an identity provider. */
interface Completion {
  attempt: Attempt
  upstream: Upstream
  trace: Trace
  /** The account of the user, if it was read already. */
  known?: SignInAccount | undefined
  /** What was verified already; a sign-in without it is spent before `authenticate`. */
  proof?: Proof | undefined
  /** Verifies the response of the provider. Throws `SignInFailure`. */
  authenticate: () => Promise<{ authentication: Authentication; identity?: TenantIdentity | undefined }>
}

/**
 * Spends an attempt, authenticates, and then signs the user in, links the login or finishes the test. Of concurrent
 * responses to one attempt, only the first authenticates. An attempt with a proof is spent with what is saved, so that it
 * stays pending if the proof holds no longer. Returns the URL to continue at. Throws `SignInFailure` and `ProofExpired`.
 */
export async function completeAttempt(
  services: Services,
  request: PageRequest,
  completion: Completion,
): Promise<{ redirect: string }> {
  const { http, sql, vault } = services
  const { attempt, trace, proof } = completion
  trace.begin('response-unused')
  const browser = readBrowser(request.cookies, http.isSecure)
  const claim = new AttemptClaim({ state: attempt.state, lifetimeSeconds: attemptSeconds, proof }, trace)
  if (!proof) await claim.spend(sql)
  const outcome: AttemptOutcome = { session: null }
  const save = () => storeOutcome(request.cookies, http, vault, attempt, outcome)
  try {
    Object.assign(outcome, await admit(services, request, { ...completion, browser, claim }))
  } catch (error) {
    if (error instanceof SignInFailure && error.code !== 'answer-replayed') await claim.spend(sql)
    if (claim.isSpent) save()
    throw error
  }
  save()
  trace.succeed()
  return { redirect: toDestination({ ...attempt, spent: outcome }) }
}

/**
 * Handles a repeated response, for example after a reload. The response is not redeemed again, but the user that it
 * signed in may continue. Throws `SignInFailure`.
 */
export function handleReplay({ caller }: PageRequest, attempt: Attempt): PageResult {
  const createdSession = attempt.spent?.session ?? undefined
  const session = setupLinkOf(attempt) ?? caller?.session?.tokenHash
  if (createdSession === undefined || createdSession !== session) throw new SignInFailure('answer-replayed')
  return { redirect: toDestination(attempt) }
}

/** Returns the set-up link of a test. Its browser has the attempt in a cookie that only this server can write. */
const setupLinkOf = ({ test }: Attempt): string | undefined =>
  test && 'setupLinkId' in test ? test.setupLinkId : undefined

/** Returns the URL to continue at after a completed attempt. */
function toDestination({ link, test, interaction, returnTo, idp, spent }: Attempt): string {
  if (test) return `${returnTo}?test=passed${spent?.testedAddress ? `&address=${spent.testedAddress}` : ''}`
  if (link) return `${returnTo}?linked=${idp}`
  return interaction ? buildContinueUrl(interaction) : toLandingUrl(returnTo)
}

interface Claimed {
  browser: Browser
  claim: AttemptClaim
}

async function admit(
  services: Services,
  request: PageRequest,
  { attempt, upstream, trace, authenticate, browser, known, claim }: Completion & Claimed,
): Promise<AttemptOutcome> {
  const { sql } = services
  const { caller, visit } = request
  trace.begin('tenant-enabled')
  if (upstream.tenant?.isEnabled === false && !attempt.test) throw new SignInFailure('tenant-not-enabled')
  const { authentication, identity } = await authenticate()
  const { claims } = identity ?? authentication
  trace.begin('session-found')
  const sessionOfCaller = caller?.session
  const expected = attempt.test ?? attempt.link
  if (expected && 'sessionId' in expected && sessionOfCaller?.id !== expected.sessionId)
    throw new SignInFailure('session-changed')
  const session = setupLinkOf(attempt) ?? sessionOfCaller?.tokenHash ?? null
  if (attempt.test) {
    await finishTest(sql, attempt.test, caller, visit)
    trace.pass('test-passed', { email: claims.email_verified === true ? 'verified' : 'not verified' })
    if (claims.email_verified === true) return { session }
    return { session, testedAddress: claims.email ? 'unverified' : 'missing' }
  }
  if (attempt.link) {
    trace.begin('login-linked').about({ userId: attempt.link.userId })
    const account = await linkIdentity(services, upstream, claims, { userId: attempt.link.userId, claim, visit })
    await updateMapped(sql, upstream, account, identity)
    trace.pass('login-linked')
    return { session }
  }
  const account = await findOrCreateAccount(sql, upstream, claims, {
    returnTo: attempt.returnTo,
    mailContext: services,
    hasPurchase: () => hasPurchase(services, request),
    visit,
    trace,
    browserToken: browser.token,
    known,
  })
  trace.begin('mappings-applied')
  await updateMapped(sql, upstream, account, identity)
  if (identity) trace.pass('mappings-applied')
  trace.begin('session-started')
  const token = await startSession(services, request, {
    attempt,
    upstream,
    authentication,
    account,
    label: labelOf(claims),
    browser,
    claim,
  })
  trace.pass('session-started', { authenticated: authentication.authTime, methods: authentication.amr.join(', ') })
  return { session: hashToken(token) }
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
