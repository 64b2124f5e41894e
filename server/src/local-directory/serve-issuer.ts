import { errors } from 'oidc-provider'
import type { Routes, Services } from '../feature.ts'
import type { Page, PageRequest, PageResult } from '../http/page.ts'
import { anonymousLimit } from '../http/rate-limit.ts'
import { reportRejection } from '../http/report.ts'
import { cutText } from '../http/storable-text.ts'
import { confirmProof } from '../login/claim.ts'
import {
  InvalidEndSessionRequest,
  parseEndSessionRequest,
  renderInvalidRequestPage,
  renderSignedOutPage,
} from '../provider/end-session.ts'
import type { Issuer } from '../provider/issuer.ts'
import { limitWrongSecrets } from '../provider/secret-limit.ts'
import { Trace } from '../sign-in-traces/trace.ts'
import type { CheckPassword } from './check-password.ts'
import { createDirectoryIssuer, findTrustedClient } from './directory-issuer.ts'
import { type FormValues, formPurpose, showForm } from './form.ts'
import { renderExpiredPage } from './pages.ts'

const protocolPaths = [
  '/idp/.well-known/openid-configuration',
  '/idp/authorize/*',
  '/idp/userinfo',
  '/idp/jwks',
] as const

/** Serves the built-in directory as an issuer of its own, for other installations. */
export function serveDirectoryIssuer(
  { page, mount }: Pick<Routes, 'page' | 'mount'>,
  services: Services,
  checkPassword: CheckPassword,
): void {
  const { sql, http, clients, vault, traces } = services
  const issuer = createDirectoryIssuer(services)
  const withSecretLimit = limitWrongSecrets(sql, clients, http)
  // Before its subpaths, whose pattern matches this path as well.
  mount('/idp/authorize', issuer.handleRequest, { rateLimit: anonymousLimit('idp-authorize') })
  mount('/idp/token', withSecretLimit(issuer.handleRequest))
  for (const path of protocolPaths) mount(path, issuer.handleRequest)

  page('GET', '/idp/interaction/{uid}', async (request) => {
    const details = await findInteraction(issuer, request)
    if (!details) return showExpired(services, request)
    const name = cutText(request.url.searchParams.get('name') ?? '', 256)
    return renderForm(services, request, details, name ? { name } : {})
  })

  page('POST', '/idp/interaction/{uid}', async (request) => {
    const details = await findInteraction(issuer, request)
    if (!details || vault.open(formPurpose, request.form.get('seal') ?? '') !== details.uid)
      return showExpired(services, request)
    const trace = new Trace('directory', request.visit).about({ provider: 'local' }).pass('request-received')
    try {
      return await handleSubmit(services, request, { issuer, details, trace, checkPassword })
    } finally {
      traces.record(trace)
    }
  })

  page('GET', '/idp/endsession', (request) => endSession(services, issuer, request))
}

type InteractionDetails = NonNullable<Awaited<ReturnType<typeof findInteraction>>>

async function findInteraction(issuer: Issuer, { node, params }: PageRequest) {
  try {
    const details = await (await issuer.provider()).interactionDetails(node.incoming, node.outgoing)
    return details.uid === params['uid'] ? details : undefined
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return undefined
    throw error
  }
}

/** Ends the library's session of another user, for whose end it would show a page of its own. */
async function endFormerSession(issuer: Issuer, sessionUid: string, details: InteractionDetails): Promise<void> {
  delete details.session
  await details.persist()
  await (await (await issuer.provider()).Session.findByUid(sessionUid))?.destroy()
}

function showExpired({ log, traces }: Services, { visit }: PageRequest): Page {
  const code = 'directory-sign-in-expired'
  traces.record(new Trace('directory', visit).about({ provider: 'local' }).fail(code))
  return renderExpiredPage(reportRejection(log, visit, { code }))
}

async function renderForm(services: Services, request: PageRequest, details: InteractionDetails, values: FormValues) {
  const { params, prompt, uid } = details
  const clientName = (await services.clients.find(String(params['client_id'])))?.name
  const redirectUri = URL.parse(String(params['redirect_uri']))
  const context = {
    path: `/idp/interaction/${uid}`,
    seal: services.vault.seal(formPurpose, uid),
    purpose: { isFresh: prompt.reasons.includes('login_prompt'), ...(clientName && { clientName }) },
    loginHint: cutText(String(params['login_hint'] ?? ''), 256),
    formTargets: redirectUri ? [redirectUri.origin] : [],
  }
  return showForm(services, request, context, values)
}

interface Submission {
  issuer: Issuer
  details: InteractionDetails
  trace: Trace
  checkPassword: CheckPassword
}

async function handleSubmit(
  services: Services,
  request: PageRequest,
  { issuer, details, trace, checkPassword }: Submission,
): Promise<PageResult> {
  const { incoming, outgoing } = request.node
  const provider = await issuer.provider()
  if (request.form.get('cancel')) {
    trace.fail('cancelled')
    const denial = { error: 'access_denied', error_description: 'The user cancelled the sign-in.' }
    return { redirect: await provider.interactionResult(incoming, outgoing, denial) }
  }
  return checkPassword(
    request,
    { clientId: String(details.params['client_id']), trace },
    {
      accept: async ({ user, proof }) => {
        await confirmProof(services.sql, proof)
        if (details.session && details.session.accountId !== user.id)
          await endFormerSession(issuer, details.session.uid, details)
        const login = { accountId: user.id, amr: ['pwd'], ts: Math.floor(Date.now() / 1000) }
        const result = { login, ...(details.prompt.name === 'select_account' && { select_account: {} }) }
        trace.succeed()
        return { redirect: await provider.interactionResult(incoming, outgoing, result) }
      },
      refuse: (values) => renderForm(services, request, details, values),
    },
  )
}

/**
 * Ends the browser's session at the directory. No confirmation is needed, because the ID token hint names the user of
 * the session.
 */
async function endSession(
  { config, clients }: Services,
  issuer: Issuer,
  { url, node }: PageRequest,
): Promise<PageResult> {
  try {
    const request = await parseEndSessionRequest(
      url.searchParams,
      (id) => findTrustedClient(clients, id),
      `${config.publicUrl}/idp`,
      await issuer.keys(),
    )
    const provider = await issuer.provider()
    const session = await provider.Session.get(provider.createContext(node.incoming, node.outgoing) as never)
    if (session.accountId && session.accountId === request.hintedSubject) await session.destroy()
    return request.returnTo ? { redirect: request.returnTo } : renderSignedOutPage()
  } catch (error) {
    if (error instanceof InvalidEndSessionRequest) return renderInvalidRequestPage(error.message)
    throw error
  }
}
