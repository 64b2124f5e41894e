import { discover } from '@passport/contract/discovery'
import { domainOfEmail } from '@passport/contract/domain-name'
import { recordSignOut } from '../accounts/end-sessions.ts'
import { setSession } from '../accounts/session-cookie.ts'
import * as sessions from '../accounts/session-store.ts'
import * as audit from '../audit/store.ts'
import { transaction } from '../database/sql.ts'
import { findDefaultProvider } from '../discovery/decide-sign-in.ts'
import type { Feature, Services } from '../feature.ts'
import type { PageRequest, PageResult } from '../http/page.ts'
import { anonymousLimit, createFailureCounter } from '../http/rate-limit.ts'
import { reportRejection } from '../http/report.ts'
import { subscriberOf, type Visit } from '../http/visit.ts'
import type { Upstream } from '../identity-providers/upstreams.ts'
import { findPendingClient, removeInteractionSession } from '../provider/pending-request.ts'
import * as provider from '../provider/store.ts'
import * as users from '../users/store.ts'
import { hashToken } from '../vault.ts'
import { findOrCreateAccount, linkIdentity } from './account.ts'
import { type Attempt, attemptSeconds, findAttempt, isExpired, storeAttempt, storeOutcome } from './attempt.ts'
import { type CountQuestion, followEmail, showChoice } from './choice.ts'
import { SignInFailure, toFailure } from './failure.ts'
import { findLoginHint } from './login-hint.ts'
import { readBrowser, recordBrowser } from './new-device.ts'
import { renderFailurePage } from './pages.ts'
import { parseReturnUrl, toLandingUrl } from './return-url.ts'
import { spendAttempt } from './store.ts'
import {
  type Authentication,
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
  const { config, http, sql, upstreams, vault } = services
  const { searchParams: query } = request.url
  const email = query.has('idp') ? null : getSingleValue(query, 'email')
  if (email !== null) return followEmail(services, request, email, countQuestion)
  const idp = query.get('idp') ?? (await findDefaultProvider(services))?.id
  const upstream = idp === undefined ? undefined : upstreams.find(idp)
  if (!idp || !upstream) return showChoice(services, request)
  const interaction = query.get('interaction') ?? undefined
  const client = interaction ? await findPendingClient(services, interaction) : {}
  const promptParameter = query.get('prompt')
  const isFresh = promptParameter === 'login'
  const hint = getSingleValue(query, 'login_hint')?.slice(0, 256)
  const domain = hint === undefined ? undefined : domainOfEmail(hint)
  const signInRequest = {
    idp,
    returnTo: parseReturnUrl(getSingleValue(query, 'returnUrl')),
    isFresh,
    ...(interaction && { interaction }),
    ...(domain && { domain }),
    ...client,
  }
  try {
    const prompt = choosePrompt(promptParameter, request.caller !== undefined && !interaction)
    const ownHint = isFresh ? await findLoginHint(sql, upstream, request.caller) : undefined
    const { attempt, authorizationUrl } = await beginFlow(upstreams, config.publicUrl, signInRequest, {
      prompt,
      // The built-in directory expects a username, which is never an email address.
      loginHint: upstream.kind === 'local' && domain ? ownHint : (hint ?? ownHint),
    })
    storeAttempt(request.cookies, http, vault, attempt)
    return { redirect: authorizationUrl }
  } catch (error) {
    return fail(request, error, { signInRequest })
  }
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
  const { http, upstreams, vault } = services
  const idp = request.params['idp'] ?? ''
  const state = getSingleValue(request.url.searchParams, 'state') ?? ''
  const attempt = findAttempt(request.cookies, http, vault, state)
  try {
    const upstream = upstreams.find(idp)
    if (!attempt || !upstream || attempt.idp !== idp) throw new SignInFailure('state-unknown')
    if (attempt.spent) return handleReplay(request, attempt)
    if (isExpired(attempt, Date.now())) throw new SignInFailure('attempt-expired')
    await redeem(services, request, attempt, upstream, warn)
    return { redirect: toDestination(attempt) }
  } catch (error) {
    const signInRequest = attempt ?? { idp, returnTo: parseReturnUrl(null), isFresh: false }
    return fail(request, error, { signInRequest: { ...signInRequest, idp }, ...(attempt && { attempt }) })
  }
}

/** Returns the URL to continue at after a completed attempt. */
function toDestination({ link, interaction, returnTo, idp }: Attempt): string {
  if (link) return `${returnTo}?linked=${idp}`
  return interaction ? `/connect/interaction/${interaction}` : toLandingUrl(returnTo)
}

/**
 * Handles a repeated response, for example after a reload. The response is not redeemed again, but the user that it
 * signed in may continue. Throws `SignInFailure`.
 */
function handleReplay({ caller }: PageRequest, attempt: Attempt): PageResult {
  const createdSession = attempt.spent?.session ?? undefined
  if (createdSession === undefined || createdSession !== caller?.session?.tokenHash)
    throw new SignInFailure('answer-replayed')
  return { redirect: toDestination(attempt) }
}

/** Redeems the first response to an attempt, then links the login or signs the user in. Throws `SignInFailure`. */
async function redeem(
  services: Services,
  request: PageRequest,
  attempt: Attempt,
  upstream: Upstream,
  warn: AuthTimeWarning,
): Promise<void> {
  const { http, sql, upstreams, vault } = services
  const { caller, cookies, url, visit } = request
  if (!(await spendAttempt(sql, attempt.state, attemptSeconds))) throw new SignInFailure('answer-replayed')
  let session: string | null = null
  try {
    const authentication = await finishFlow(upstreams, { upstream, attempt, callbackUrl: url, warn })
    if (attempt.link) {
      if (caller?.session?.id !== attempt.link.sessionId) throw new SignInFailure('session-changed')
      await linkIdentity(services, upstream, authentication.claims, attempt.link.userId, visit)
      session = caller.session.tokenHash
    } else {
      const account = await findOrCreateAccount(sql, upstream, authentication.claims, attempt.returnTo, visit)
      session = hashToken(await startSession(services, request, { attempt, upstream, authentication, account }))
    }
  } finally {
    storeOutcome(cookies, http, vault, attempt, { session })
  }
}

interface CompletedAttempt {
  attempt: Attempt
  upstream: Upstream
  authentication: Authentication
  account: Awaited<ReturnType<typeof findOrCreateAccount>>
}

/**
 * Replaces the browser's session by one with a new token, which it returns. Another user is signed out; the same user
 * keeps the tokens of their applications.
 */
async function startSession(
  services: Services,
  { cookies, visit }: PageRequest,
  { attempt, upstream, authentication, account }: CompletedAttempt,
): Promise<string> {
  const { sql, http, vault, issuer } = services
  const { authTime, amr, idToken } = authentication
  const { userId, loginId, isFirst } = account
  const browser = readBrowser(cookies, http.isSecure)
  const formerToken = cookies.get(http.sessionCookie)
  const { token, isOtherUser } = await transaction(sql, async (sql) => {
    // If the user is disabled concurrently, either this sign-in fails or its session ends with the others.
    const user = await users.lock(sql, userId)
    if (!user || user.disabledAt !== null) throw new SignInFailure('account-disabled', userId)
    const replaced = formerToken ? await sessions.removeByToken(sql, formerToken) : undefined
    const keptProviderSession = replaced?.userId === userId ? replaced.providerSession : null
    const endedProviderSession = keptProviderSession ? null : replaced?.providerSession
    if (endedProviderSession) await provider.endProviderSession(sql, endedProviderSession)
    if (replaced && replaced.userId !== userId) await recordSignOut(sql, replaced, { visit, client: null })
    await audit.record(sql, {
      action: 'signin.succeeded',
      actorId: userId,
      target: { kind: 'user', id: userId },
      after: { idp: attempt.idp, amr },
      visit,
    })
    const signIn = { user, isFirst, providerName: upstream.name, visit }
    const token = await sessions.start(sql, {
      userId,
      loginId,
      browserId: await recordBrowser(sql, services, browser, signIn),
      idp: attempt.idp,
      authTime,
      amr,
      ip: visit.ip,
      userAgent: visit.userAgent,
      interaction: attempt.interaction ?? null,
      providerSession: keptProviderSession,
      upstreamIdToken: vault.seal(sessions.idTokenPurpose, idToken),
    })
    return { token, isOtherUser: Boolean(endedProviderSession) }
  })
  setSession(cookies, http, token)
  browser.remember()
  // oidc-provider uses its own connection, so its changes would survive a rollback.
  if (isOtherUser && attempt.interaction) await removeInteractionSession(issuer, attempt.interaction)
  return token
}

type RespondWithFailure = (
  request: PageRequest,
  error: unknown,
  context: { signInRequest: SignInRequest; attempt?: Attempt },
) => Promise<PageResult>

/**
 * The maximum number of recorded failures per hour and network address. Failures of linking a login are always
 * recorded.
 */
const maxRecordedFailures = 100

/**
 * Creates the function that renders a failure page, and records the failure in the log and the audit under the page's
 * support code. Anyone can make sign-ins fail and the audit is append-only, so only the first failures of a network
 * address are recorded there.
 */
function createFailureResponder({ config, log, sql, upstreams, http }: Services): RespondWithFailure {
  const failures = createFailureCounter(sql, 'failed-sign-ins', maxRecordedFailures, 3600)
  const isRecorded = async (visit: Visit, attempt: Attempt | undefined, { code }: SignInFailure) => {
    if (attempt?.link) return true
    if (!attempt && code === 'state-unknown') return false
    return http.isLocal(visit) || (await failures.begin(subscriberOf(visit.ip))) === 0
  }

  return async ({ visit }, error, { signInRequest, attempt }) => {
    const { idp, returnTo, isFresh, interaction, domain } = signInRequest
    const failure = toFailure(error)
    const upstream = upstreams.find(idp)
    const supportCode = reportRejection(log, visit, { code: failure.code, message: failure.message, idp })
    if (await isRecorded(visit, attempt, failure)) {
      await audit.record(sql, {
        action: 'signin.failed',
        target: attempt?.link ? { kind: 'user', id: attempt.link.userId } : { kind: 'attempt', id: null },
        after: { idp: upstream?.id ?? null, message: failure.message.slice(0, 1000), ...(domain && { domain }) },
        reason: failure.code,
        visit,
      })
    }
    // The retry of a forced sign-in is forced again, and the retry for an application returns to that application.
    const retry = new URLSearchParams({
      returnUrl: returnTo,
      prompt: isFresh ? 'login' : 'select_account',
      ...(interaction && { interaction }),
    })
    return renderFailurePage({
      code: failure.code,
      providerName: upstream?.name ?? 'The identity provider',
      supportContact: config.supportContact,
      // Signing in again would not link the login, so the user starts again from the page of logins.
      retryUrl: attempt?.link ? returnTo : `/login?${retry}`,
      supportCode,
    })
  }
}
