import * as audit from '../audit/store.ts'
import { transaction } from '../database/sql.ts'
import type { PageAnswer, PageRequest } from '../http/page.ts'
import { startsBy } from '../http/rate-limit.ts'
import { reportRefusal } from '../http/report.ts'
import type { Upstream } from '../identity-providers/upstreams.ts'
import * as provider from '../provider/store.ts'
import { clientOriginOf, forgetSessionOf } from '../provider/waiting-request.ts'
import type { Room, Services } from '../room.ts'
import { setSession } from '../sessions/cookie.ts'
import { recordSignout } from '../sessions/end.ts'
import * as sessions from '../sessions/store.ts'
import * as users from '../users/store.ts'
import { hashToken } from '../vault.ts'
import { type Attempt, attemptSeconds, findAttempt, isExpired, keepAttempt, keepSpent } from './attempt.ts'
import { failureOf, SigninFailure } from './failure.ts'
import { choicePage, failurePage } from './pages.ts'
import { findPerson, linkPerson } from './person.ts'
import { landing, returnUrl } from './return-url.ts'
import { spendAttempt } from './store.ts'
import { type Authentication, beginFlow, finishFlow, promptFor } from './upstream-flow.ts'

/** Sign-in to Passport itself: the choice of an identity provider, the way there, and the way back. */
export const login: Room = ({ page }, services) => {
  page('GET', '/login', (request) => begin(services, request), { rateLimit: startsBy('login') })
  page('GET', '/login/callback/{idp}', (request) => finish(services, request), { rateLimit: startsBy('callback') })
}

async function begin(services: Services, request: PageRequest): Promise<PageAnswer> {
  const { config, door, upstreams, vault, issuer } = services
  const { searchParams: query } = request.url
  const idp = query.get('idp') ?? (upstreams.all.length === 1 ? upstreams.all[0]?.id : undefined)
  if (!idp || !upstreams.find(idp)) {
    return choicePage(config.brandName, upstreams.all, (id) => `/login?${withParameter(query, 'idp', id)}`)
  }
  const interaction = query.get('interaction') ?? undefined
  const clientOrigin = interaction && (await clientOriginOf(issuer, interaction))
  const asked = query.get('prompt')
  const errand = {
    idp,
    returnTo: returnUrl(singleValue(query, 'returnUrl')),
    isFresh: asked === 'login',
    ...(interaction && { interaction }),
    ...(clientOrigin && { clientOrigin }),
  }
  try {
    const prompt = promptFor(asked, request.caller !== undefined && !interaction)
    const { attempt, address } = await beginFlow(upstreams, config.publicUrl, errand, {
      prompt,
      loginHint: singleValue(query, 'login_hint')?.slice(0, 256),
    })
    keepAttempt(request.cookies, door, vault, attempt)
    return { redirect: address }
  } catch (error) {
    return fail(services, request, error, { idp, returnTo: errand.returnTo })
  }
}

/** A parameter that is repeated says nothing. */
function singleValue(query: URLSearchParams, name: string): string | null {
  const values = query.getAll(name)
  return values.length === 1 ? (values[0] ?? null) : null
}

function withParameter(query: URLSearchParams, name: string, value: string): URLSearchParams {
  const changed = new URLSearchParams(query)
  changed.set(name, value)
  return changed
}

async function finish(services: Services, request: PageRequest): Promise<PageAnswer> {
  const { door, upstreams, vault } = services
  const idp = request.params['idp'] ?? ''
  const state = singleValue(request.url.searchParams, 'state') ?? ''
  const attempt = findAttempt(request.cookies, door, vault, state)
  try {
    const upstream = upstreams.find(idp)
    if (!attempt || !upstream || attempt.idp !== idp) throw new SigninFailure('state-unknown')
    if (attempt.spent) return goOnAgain(request, attempt)
    if (isExpired(attempt, Date.now())) throw new SigninFailure('attempt-expired')
    await redeem(services, request, attempt, upstream)
    return { redirect: onward(attempt) }
  } catch (error) {
    return fail(services, request, error, {
      idp,
      returnTo: attempt?.returnTo ?? returnUrl(null),
      ...(attempt && { attempt }),
    })
  }
}

/** Where the person came to go. */
function onward({ link, interaction, returnTo, idp }: Attempt): string {
  if (link) return `${returnTo}?linked=${idp}`
  return interaction ? `/connect/interaction/${interaction}` : landing(returnTo)
}

/** An answer that comes once more, as by a reload, counts no more; but whoever it signed in here need not be stopped. */
function goOnAgain({ caller }: PageRequest, attempt: Attempt): PageAnswer {
  const made = attempt.spent?.session ?? undefined
  if (made === undefined || made !== caller?.session?.tokenHash) throw new SigninFailure('answer-replayed')
  return { redirect: onward(attempt) }
}

/** Takes the one answer that counts, and does what the attempt was for. Throws `SigninFailure`. */
async function redeem(services: Services, request: PageRequest, attempt: Attempt, upstream: Upstream): Promise<void> {
  const { door, sql, upstreams, vault } = services
  const { caller, cookies, url, visit } = request
  if (!(await spendAttempt(sql, attempt.state, attemptSeconds))) throw new SigninFailure('answer-replayed')
  let session: string | null = null
  try {
    const authentication = await finishFlow(upstreams, attempt, url)
    if (attempt.link) {
      if (caller?.session?.id !== attempt.link.sessionId) throw new SigninFailure('session-changed')
      await linkPerson(sql, upstream, authentication.claims, attempt.link.userId, visit)
      session = caller.session.tokenHash
    } else {
      const person = await findPerson(sql, upstream, authentication.claims, attempt.returnTo, visit)
      session = hashToken(await startSession(services, request, attempt, authentication, person))
    }
  } finally {
    keepSpent(cookies, door, vault, attempt, { session })
  }
}

/**
 * Starts a session, under a new name whatever was there before. Whom the browser belonged to until now is signed out;
 * the same person keeps what their applications have been given in it. Returns its token.
 */
async function startSession(
  { sql, door, vault, issuer }: Services,
  { cookies, visit }: PageRequest,
  attempt: Attempt,
  { authTime, amr, idToken }: Authentication,
  { userId, loginId }: { userId: string; loginId: string },
): Promise<string> {
  const former = cookies.get(door.sessionCookie)
  const { token, isAnother } = await transaction(sql, async (sql) => {
    // Whoever disables the person meanwhile ends their sessions before this one begins, or this one with them.
    const user = await users.lock(sql, userId)
    if (!user || user.disabledAt !== null) throw new SigninFailure('account-disabled', userId)
    const replaced = former ? await sessions.removeByToken(sql, former) : undefined
    const kept = replaced?.userId === userId ? replaced.providerSession : null
    const ended = kept ? null : replaced?.providerSession
    if (ended) await provider.endProviderSession(sql, ended)
    if (replaced && replaced.userId !== userId) await recordSignout(sql, replaced, { visit, client: null })
    await audit.record(sql, {
      action: 'signin.succeeded',
      actorId: userId,
      target: { kind: 'user', id: userId },
      after: { idp: attempt.idp, amr },
      visit,
    })
    const token = await sessions.start(sql, {
      userId,
      loginId,
      idp: attempt.idp,
      authTime,
      amr,
      ip: visit.ip,
      userAgent: visit.userAgent,
      interaction: attempt.interaction ?? null,
      providerSession: kept,
      upstreamIdToken: vault.seal('upstream-id-token', idToken),
    })
    return { token, isAnother: Boolean(ended) }
  })
  setSession(cookies, door, token)
  // The library has a connection of its own: what it changed would stay where the transaction does not.
  if (isAnother && attempt.interaction) await forgetSessionOf(issuer, attempt.interaction)
  return token
}

/** A page that says what happened; the same in the log and the audit, by the code on the page. */
async function fail(
  { config, log, sql, upstreams }: Services,
  { visit }: PageRequest,
  error: unknown,
  { idp, returnTo, attempt }: { idp: string; returnTo: string; attempt?: Attempt },
): Promise<PageAnswer> {
  const failure = failureOf(error)
  const upstream = upstreams.find(idp)
  const supportCode = reportRefusal(log, visit, { code: failure.code, told: failure.message, idp })
  // An answer that nobody here waits for is for the log alone: anybody can send them, and the audit only grows.
  if (attempt || failure.code !== 'state-unknown') {
    await audit.record(sql, {
      action: 'signin.failed',
      target: attempt?.link ? { kind: 'user', id: attempt.link.userId } : { kind: 'attempt', id: null },
      after: { idp: upstream?.id ?? null, told: failure.message.slice(0, 1000) },
      reason: failure.code,
      visit,
    })
  }
  const retry = new URLSearchParams({ returnUrl: returnTo, prompt: 'select_account' })
  return failurePage({
    code: failure.code,
    providerName: upstream?.name ?? 'The identity provider',
    supportContact: config.supportContact,
    retryAddress: `/login?${retry}`,
    supportCode,
  })
}
