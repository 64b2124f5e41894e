import { errors, type Interaction, type Provider } from 'oidc-provider'
import type { Services } from '../feature.ts'
import type { Page, PageRequest, PageResult } from '../http/page.ts'
import type { ServePage } from '../http/pages.ts'
import { csrf } from '../http/problems.ts'
import { anonymousLimit } from '../http/rate-limit.ts'
import { reportRejection } from '../http/report.ts'
import { Trace } from '../sign-in-traces/trace.ts'
import { type ConsentRequest, type MissingScopes, recordDenial, renderConsentPage, saveConsent } from './consent.ts'
import { renderExpiredPage } from './expired-page.ts'
import { buildLoginResult, buildSignInUrl, chooseStep, readMaxAge } from './interaction.ts'
import { endFormerSession, type PendingClient, readPendingClient } from './pending-request.ts'
import * as problems from './problems.ts'
import { describeScopes } from './scopes.ts'

/** Starts a sign-in at the address of its page, for a pending request. */
type StartSignIn = (request: PageRequest, pending: PendingClient) => Promise<PageResult>

/** Serves the pages of an authorization request that needs the user: to sign in, and to give consent. */
export function serveInteractions(page: ServePage, services: Services, startSignIn: StartSignIn): void {
  const showPage = async (request: PageRequest) => {
    const pending = await findInteraction(services, request)
    if (!pending) return showExpired(services, request)
    const { details } = pending
    return details.prompt.name === 'consent'
      ? showConsent(services, request, details)
      : signIn(services, request, pending, startSignIn)
  }
  // The form of a sign-in is here too, so requests count together with those of its other page.
  page('GET', '/connect/interaction/{uid}', showPage, { rateLimit: anonymousLimit('login'), waitsForOthers: true })

  page('POST', '/connect/interaction/{uid}/consent', async (request) => {
    const pending = await findInteraction(services, request)
    if (pending?.details.prompt.name !== 'consent') return showExpired(services, request)
    return handleConsent(services, request, pending)
  })
}

interface PendingInteraction {
  provider: Provider
  details: Interaction
}

/** Returns the pending interaction of this browser; undefined if it has expired. */
async function findInteraction({ issuer }: Services, { node }: PageRequest): Promise<PendingInteraction | undefined> {
  const provider = await issuer.provider()
  try {
    return { provider, details: await provider.interactionDetails(node.incoming, node.outgoing) }
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return undefined
    throw error
  }
}

/** Continues with the signed-in user, or starts a sign-in first. */
async function signIn(
  services: Services,
  request: PageRequest,
  { details }: PendingInteraction,
  startSignIn: StartSignIn,
): Promise<PageResult> {
  const { issuer, config } = services
  const { uid, prompt, params } = details
  const { caller } = request
  const session = caller?.session && { ...caller.session, authTime: caller.authTime }
  const interactionNeed = {
    uid,
    prompt: prompt.name,
    reasons: prompt.reasons,
    maxAgeSeconds: readMaxAge(params),
  }
  const step = chooseStep(interactionNeed, session, Date.now())
  if (step !== 'continue') {
    const url = new URL(buildSignInUrl(uid, step, params['login_hint']), config.publicUrl)
    return startSignIn({ ...request, url }, await readPendingClient(services, details))
  }
  if (!caller || !session) throw new Error('An interaction continued without a session')
  const former = details.session
  if (former?.accountId && former.accountId !== caller.id) {
    await endFormerSession(issuer, former.uid, uid)
    delete details.session
  }
  return { redirect: await resume(details, buildLoginResult(prompt.name, { ...session, userId: caller.id })) }
}

/** Saves the result of an interaction, and returns the URL that continues the request with it. */
async function resume(details: Interaction, result: NonNullable<Interaction['result']>): Promise<string> {
  details.result = 'error' in result ? result : { ...details.lastSubmission, ...result }
  await details.persist()
  return details.returnTo
}

const purpose = 'consent'

async function showConsent(services: Services, { caller }: PageRequest, details: Interaction): Promise<PageResult> {
  if (!isInteractionOwner(caller, details)) return { redirect: buildSignInUrl(details.uid, 'select account') }
  const consentRequest = await buildConsentRequest(services, details)
  const { sql, config, branding, vault } = services
  const sealed = vault.seal(purpose, `${details.uid} ${caller.id}`)
  const brand = await branding.findForSignIn(sql, caller.idp, caller.email)
  return renderConsentPage(consentRequest, caller, { brand, publicUrl: config.publicUrl }, sealed)
}

async function handleConsent(
  services: Services,
  request: PageRequest,
  pending: PendingInteraction,
): Promise<PageResult> {
  const { sql, vault } = services
  const { caller, form, visit } = request
  const { provider, details } = pending
  if (!isInteractionOwner(caller, details)) return { redirect: buildSignInUrl(details.uid, 'select account') }
  // The decision must come from the user for whom the page was rendered: another one may have signed in since.
  if (vault.open(purpose, form.get('question') ?? '') !== `${details.uid} ${caller.id}`)
    throw csrf('This form does not match the current request. Go back and try again.')
  const consentRequest = await buildConsentRequest(services, details)
  if (form.get('answer') !== 'allow') {
    await recordDenial(sql, caller.id, consentRequest, visit)
    services.traces.record(traceConsent(request, details).fail('access_denied', {}, 'consent-decided'))
    const denial = { error: 'access_denied', error_description: 'the user denied the request' }
    return { redirect: await resume(details, denial) }
  }
  const clientId = consentRequest.client.clientId
  const storedGrant = details.grantId ? await provider.Grant.find(details.grantId) : undefined
  const grant = storedGrant ?? new provider.Grant({ accountId: caller.id, clientId })
  const context = { signIn: caller.session, visit }
  const scope = String(details.params['scope'] ?? '')
  services.traces.record(traceConsent(request, details).pass('consent-decided', { scope }).succeed())
  const grantId = await saveConsent(sql, grant, consentRequest.client, details.prompt.details as MissingScopes, context)
  return { redirect: await resume(details, { consent: { grantId } }) }
}

/** Begins the trace of a user's decision. */
function traceConsent({ caller, visit }: PageRequest, { uid, params }: Interaction): Trace {
  const trace = new Trace('consent', visit).link('interaction', uid)
  return trace.about({ client: String(params['client_id']), userId: caller?.id }).pass('consent-asked')
}

const isInteractionOwner = (
  caller: PageRequest['caller'],
  { session }: Interaction,
): caller is NonNullable<typeof caller> => caller !== undefined && caller.id === session?.accountId

async function buildConsentRequest({ clients, apis }: Services, { uid, params }: Interaction): Promise<ConsentRequest> {
  const client = await clients.find(String(params['client_id']))
  if (!client) throw problems.clientNotFound()
  const scopes = String(params['scope'] ?? '').split(' ')
  return {
    uid,
    client,
    scopes,
    described: await describeScopes(scopes, apis),
    redirectUri: String(params['redirect_uri']),
  }
}

function showExpired({ log, traces }: Services, { params, visit }: PageRequest): Page {
  traces.record(new Trace('interaction', visit).link('interaction', params['uid']).fail('interaction-expired'))
  return renderExpiredPage(reportRejection(log, visit, { code: 'interaction-expired' }))
}
