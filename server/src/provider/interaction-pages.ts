import { idleHours } from '../accounts/session-store.ts'
import type { Client } from '../clients/store.ts'
import { transaction } from '../database/sql.ts'
import type { Services } from '../feature.ts'
import type { Page, PageRequest, PageResult } from '../http/page.ts'
import type { ServePage } from '../http/pages.ts'
import { csrf } from '../http/problems.ts'
import { anonymousLimit } from '../http/rate-limit.ts'
import { reportRejection } from '../http/report.ts'
import { OAuthError } from '../oauth/oauth-error.ts'
import { listScopes, uniteScopes } from '../oauth/requested-scopes.ts'
import { buildResponseUrl } from '../oauth/responses.ts'
import { Trace } from '../sign-in-traces/trace.ts'
import { type Authorization, createAssessment } from './authorization.ts'
import { type BrowserRead, createBrowserReader } from './authorization-store.ts'
import { type ConsentRequest, recordDenial, renderConsentPage, saveConsent } from './consent.ts'
import { renderExpiredPage } from './expired-page.ts'
import { renderFormPostPage } from './form-post.ts'
import { epochSeconds } from './lifetimes.ts'
import {
  buildContinueUrl,
  buildPageUrl,
  buildSignInUrl,
  isRequestOfBrowser,
  type PendingClient,
  pathsOfRequest,
  readPendingClient,
  requestCookie,
} from './pending-request.ts'
import type { PendingRequest } from './request-store.ts'
import { describeScopes } from './scopes.ts'

/** Starts a sign-in at the address of its page, for a pending request. */
type StartSignIn = (request: PageRequest, pending: PendingClient) => Promise<PageResult>

/** The pending request of a page. */
interface ShownRequest {
  uid: string
  stored: PendingRequest
  client: Client
  browser: BrowserRead
}

/** Serves the pages of an authorization request that needs the user: to sign in, and to give consent. */
export function serveInteractions(page: ServePage, services: Services, startSignIn: StartSignIn): void {
  const { sql, http, clients, config, requests } = services
  const assess = createAssessment(services)
  const readBrowser = createBrowserReader(sql, idleHours)

  // The form of a sign-in is here too, so requests count together with those of its other page.
  page('GET', '/connect/interaction/{uid}', show, { rateLimit: anonymousLimit('login'), waitsForOthers: true })
  page('POST', '/connect/interaction/{uid}/consent', decide)

  /** Returns the pending request of this browser; undefined if it has expired, or its client has ended. */
  async function findRequest({ params, cookies }: PageRequest): Promise<ShownRequest | undefined> {
    const uid = params['uid'] ?? ''
    if (!isRequestOfBrowser(cookies, uid)) return undefined
    const browser = await readBrowser({ token: cookies.get(http.sessionCookie), uid })
    const stored = browser.pending ? requests.openPending(browser.pending) : undefined
    const client = stored && (await clients.find(stored.clientId))
    return client && { uid, stored, client, browser }
  }

  /** Decides about a request again; undefined if it is no longer valid, which its continuation reports. */
  async function assessShown(shown: ShownRequest): Promise<Authorization | undefined> {
    try {
      return await assess({ ...shown, isPage: true })
    } catch (error) {
      if (error instanceof OAuthError) return undefined
      throw error
    }
  }

  async function show(request: PageRequest): Promise<PageResult> {
    const shown = await findRequest(request)
    if (!shown) return showExpired(services, request)
    const { uid, stored } = shown
    const authorization = await assessShown(shown)
    const step = authorization?.decision.step ?? 'error'
    if (step === 'issue' || step === 'error') return { redirect: buildContinueUrl(uid) }
    if (authorization && step === 'consent') return showConsent(services, request, uid, authorization)
    const url = new URL(buildSignInUrl(uid, step, stored.parameters['login_hint']), config.publicUrl)
    return startSignIn({ ...request, url }, await readPendingClient(services, stored))
  }

  async function decide(request: PageRequest): Promise<PageResult> {
    const shown = await findRequest(request)
    if (!shown) return showExpired(services, request)
    const { uid } = shown
    const { caller, form } = request
    if (!caller) return { redirect: buildPageUrl(uid) }
    // The decision must come from the user for whom the page was rendered: another one may have signed in since.
    if (services.vault.open(purpose, form.get('question') ?? '') !== toQuestion(uid, caller.id))
      throw csrf('This form does not match the current request. Go back and try again.')
    const authorization = await assessShown(shown)
    if (authorization?.decision.step !== 'consent') return { redirect: buildPageUrl(uid) }
    const isAllowed = form.get('answer') === 'allow'
    return (isAllowed ? allow : deny)(services, request, shown, authorization)
  }
}

const purpose = 'consent'
const toQuestion = (uid: string, userId: string) => `${uid} ${userId}`

async function showConsent(
  services: Services,
  { caller }: PageRequest,
  uid: string,
  authorization: Authorization,
): Promise<PageResult> {
  // The session has ended since it was read.
  if (caller?.id !== authorization.user?.session.userId || !caller) return { redirect: buildPageUrl(uid) }
  const { sql, config, branding, vault } = services
  const consentRequest = await toConsentRequest(services, uid, authorization)
  const brand = await branding.findForSignIn(sql, caller.idp, caller.email)
  const sealed = vault.seal(purpose, toQuestion(uid, caller.id))
  return renderConsentPage(consentRequest, caller, { brand, publicUrl: config.publicUrl }, sealed)
}

/** Saves the consent of the user with the request, which then continues. */
async function allow(
  { sql, requests, traces }: Services,
  request: PageRequest,
  { uid, stored }: ShownRequest,
  { client, requested, user }: Authorization,
): Promise<PageResult> {
  if (!user) throw new Error('A consent requires a user')
  const { userId, tokenHash } = user.session
  const scopes = listScopes(uniteScopes(user.allowed, requested))
  const consent = { userId, tokenHash, at: epochSeconds() }
  const isPending = await transaction(sql, async (sql) => {
    if (!(await requests.allow(sql, uid, stored, consent))) return false
    await saveConsent(sql, { userId, clientId: client.clientId, scopes, visit: request.visit })
    return true
  })
  if (!isPending) return { redirect: buildPageUrl(uid) }
  const scope = stored.parameters['scope'] ?? ''
  traces.record(traceConsent(request, uid, client).pass('consent-decided', { scope }).succeed())
  return { redirect: buildContinueUrl(uid) }
}

/** Ends the request, and returns the denial of the user to the client. */
async function deny(
  services: Services,
  request: PageRequest,
  { uid }: ShownRequest,
  authorization: Authorization,
): Promise<PageResult> {
  const { sql, config, requests, traces } = services
  const { client, user } = authorization
  if (!(await requests.removePending(uid))) return { redirect: buildPageUrl(uid) }
  const consentRequest = await toConsentRequest(services, uid, authorization)
  await recordDenial(sql, user?.session.userId ?? '', consentRequest, request.visit)
  const error = new OAuthError('access_denied', 'The user denied the request.')
  traces.record(traceConsent(request, uid, client).fail(error.code, {}, 'consent-decided'))
  for (const path of pathsOfRequest(uid)) request.cookies.clear(requestCookie, { path })
  const { redirectUri, responseMode, state } = authorization.request
  const parameters = { ...error.toParameters(), ...(state !== undefined && { state }), iss: config.publicUrl }
  return responseMode === 'form_post'
    ? renderFormPostPage(redirectUri, parameters)
    : { redirect: buildResponseUrl(redirectUri, parameters, responseMode) }
}

/** Begins the trace of a user's decision. */
function traceConsent({ caller, visit }: PageRequest, uid: string, { clientId }: Client): Trace {
  const trace = new Trace('consent', visit).link('interaction', uid)
  return trace.about({ client: clientId, userId: caller?.id }).pass('consent-asked')
}

async function toConsentRequest(
  { apis }: Services,
  uid: string,
  { client, request, requested }: Authorization,
): Promise<ConsentRequest> {
  const known = listScopes(requested)
  const scopes = request.scopes.filter((scope) => known.includes(scope))
  return { uid, client, scopes, described: await describeScopes(scopes, apis), redirectUri: request.redirectUri }
}

function showExpired({ log, traces }: Services, { params, visit }: PageRequest): Page {
  traces.record(new Trace('interaction', visit).link('interaction', params['uid']).fail('interaction-expired'))
  return renderExpiredPage(reportRejection(log, visit, { code: 'interaction-expired' }))
}
