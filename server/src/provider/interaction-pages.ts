import { errors, type Interaction, type Provider } from 'oidc-provider'
import type { Log } from '../http/log.ts'
import { html, type Page, type PageAnswer, type PageRequest, type ServePage, supportLine } from '../http/page.ts'
import { Problem } from '../http/problem.ts'
import { reportRefusal } from '../http/report.ts'
import type { Visit } from '../http/visit.ts'
import type { Services } from '../room.ts'
import { allow, consentPage, type Missing, type Question, recordRefused } from './consent.ts'
import { signInAddress, stepFor } from './interaction.ts'
import { endFormerSession } from './waiting-request.ts'

/** The pages where an authorization request needs the person: to sign in, and to say what a client may do. */
export function serveInteractions(page: ServePage, services: Services): void {
  page('GET', '/connect/interaction/{uid}', async (request) => {
    const found = await openInteraction(services, request)
    if (!found) return expiredPage(services.log, request.visit)
    const { details } = found
    return details.prompt.name === 'consent' ? askConsent(services, request, details) : signIn(services, request, found)
  })

  page('POST', '/connect/interaction/{uid}/consent', async (request) => {
    const found = await openInteraction(services, request)
    if (found?.details.prompt.name !== 'consent') return expiredPage(services.log, request.visit)
    return answerConsent(services, request, found)
  })
}

interface Found {
  library: Provider
  details: Interaction
}

/** The request that waits for this person in this browser; none where it is over. */
async function openInteraction({ issuer }: Services, { node }: PageRequest): Promise<Found | undefined> {
  const library = await issuer.provider()
  try {
    return { library, details: await library.interactionDetails(node.incoming, node.outgoing) }
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return undefined
    throw error
  }
}

/** Goes on with who is signed in, or to the identity provider first. */
async function signIn({ issuer }: Services, request: PageRequest, { library, details }: Found): Promise<PageAnswer> {
  const { uid, prompt, params } = details
  const { caller, node } = request
  const session = caller?.session && { ...caller.session, authTime: caller.authTime }
  const maxAge = params['max_age'] as string | number | undefined
  const need = {
    uid,
    prompt: prompt.name,
    reasons: prompt.reasons,
    maxAgeSeconds: maxAge === undefined ? undefined : Number(maxAge),
  }
  const step = stepFor(need, session, Date.now())
  if (step !== 'go on') return { redirect: signInAddress(uid, step, params['login_hint']) }
  if (!caller || !session) throw new Error('There is no going on without a session')
  const former = details.session
  if (former?.accountId && former.accountId !== caller.id) await endFormerSession(issuer, former.uid, uid)
  const login = { accountId: caller.id, ts: Math.floor(Date.parse(caller.authTime) / 1000), amr: session.amr }
  const result = { login, ...(prompt.name === 'select_account' && { select_account: {} }) }
  return { redirect: await library.interactionResult(node.incoming, node.outgoing, result) }
}

const purpose = 'consent'

async function askConsent(services: Services, { caller }: PageRequest, details: Interaction): Promise<PageAnswer> {
  if (!isTheirs(caller, details)) return { redirect: signInAddress(details.uid, 'choose another') }
  const question = await questionOf(services, details)
  const sealed = services.vault.seal(purpose, `${details.uid} ${caller.id}`)
  return consentPage(question, caller, services.config.brandName, sealed)
}

async function answerConsent(services: Services, request: PageRequest, found: Found): Promise<PageAnswer> {
  const { sql, vault } = services
  const { caller, form, node, visit } = request
  const { library, details } = found
  if (!isTheirs(caller, details)) return { redirect: signInAddress(details.uid, 'choose another') }
  // Who answers must be who was asked: another person may have signed in while the page stood there.
  if (vault.open(purpose, form.get('question') ?? '') !== `${details.uid} ${caller.id}`)
    throw new Problem(403, 'csrf', 'This answer does not belong to the question that was asked here.')
  const question = await questionOf(services, details)
  if (form.get('answer') !== 'allow') {
    await recordRefused(sql, caller.id, question, visit)
    const refusal = { error: 'access_denied', error_description: 'the person said no' }
    return { redirect: await library.interactionResult(node.incoming, node.outgoing, refusal) }
  }
  const clientId = question.client.clientId
  const known = details.grantId ? await library.Grant.find(details.grantId) : undefined
  const grant = known ?? new library.Grant({ accountId: caller.id, clientId })
  const by = { loginId: caller.session?.loginId, visit }
  const grantId = await allow(sql, grant, question.client, details.prompt.details as Missing, by)
  return { redirect: await library.interactionResult(node.incoming, node.outgoing, { consent: { grantId } }) }
}

const isTheirs = (caller: PageRequest['caller'], { session }: Interaction): caller is NonNullable<typeof caller> =>
  caller !== undefined && caller.id === session?.accountId

async function questionOf({ clients }: Services, { uid, params }: Interaction): Promise<Question> {
  const client = await clients.find(String(params['client_id']))
  if (!client) throw new Problem(404, 'client-not-found', 'The application is not known here any more.')
  return {
    uid,
    client,
    scopes: String(params['scope'] ?? '').split(' '),
    redirectUri: String(params['redirect_uri']),
  }
}

function expiredPage(log: Log, visit: Visit): Page {
  const supportCode = reportRefusal(log, visit, { code: 'interaction-expired' })
  const body = html`<h1>This sign-in has expired</h1>
    <p>It was not finished in time, or not in the browser where it began. Go back to the application and sign in again.</p>
    ${supportLine(supportCode)}
    <p><a class="button" href="/app/">Go to the start</a></p>`
  return { status: 400, title: 'Sign-in expired', body }
}
