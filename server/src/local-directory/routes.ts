import { supportCodeOf } from '@passport/contract/support-code'
import { errors } from 'oidc-provider'
import * as accounts from '../accounts/store.ts'
import * as audit from '../audit/store.ts'
import { readPageTexts } from '../content/page-texts.ts'
import type { Feature, Services } from '../feature.ts'
import type { PageRequest, PageResult } from '../http/page.ts'
import { servePageScript } from '../http/page-script.ts'
import { anonymousLimit } from '../http/rate-limit.ts'
import { reportRejection } from '../http/report.ts'
import { deriveDirectoryClient } from '../identity-providers/upstreams.ts'
import { findAttempt } from '../login/attempt.ts'
import {
  InvalidEndSessionRequest,
  parseEndSessionRequest,
  renderInvalidRequestPage,
  renderSignedOutPage,
} from '../provider/end-session.ts'
import type { Issuer } from '../provider/issuer.ts'
import { endFormerSession } from '../provider/pending-request.ts'
import { Trace } from '../sign-in-traces/trace.ts'
import { createDirectoryIssuer } from './directory-issuer.ts'
import { notifyOfGuesses } from './guess-notice.ts'
import { createLockout, type FailureResult, type Lockout, type PasswordAttempt, rememberDevice } from './lockout.ts'
import { renderExpiredPage, renderSignInPage, showPasswordPath } from './pages.ts'
import { verifyPassword } from './password.ts'
import { findSignUpUrl, redeemSignUp, serveSignUp } from './serve-sign-up.ts'
import * as store from './store.ts'

const protocolPaths = [
  '/idp/.well-known/openid-configuration',
  '/idp/authorize/*',
  '/idp/token',
  '/idp/userinfo',
  '/idp/jwks',
] as const

/** The built-in identity provider: usernames and passwords for users without another provider. */
export const localDirectory: Feature = ({ page, mount }, services) => {
  const { config, http, log, sql, traces, vault } = services
  if (!config.identityProviders.some(({ kind }) => kind === 'local')) return
  const issuer = createDirectoryIssuer(services)
  const lockout = createLockout(sql, vault, http.isLocal)
  const renderExpired = ({ visit }: PageRequest) => {
    const code = 'directory-sign-in-expired'
    traces.record(new Trace('directory', visit).about({ provider: 'local' }).fail(code))
    return renderExpiredPage(reportRejection(log, visit, { code }))
  }

  // Before its subpaths, whose pattern matches this path as well.
  mount('/idp/authorize', issuer.handleRequest, { rateLimit: anonymousLimit('idp-authorize') })
  for (const path of protocolPaths) mount(path, issuer.handleRequest)

  page('GET', '/idp/login/{uid}', async (request) => {
    const details = await findInteraction(issuer, request)
    if (!details) return renderExpired(request)
    const hint = String(details.params['login_hint'] ?? '')
    const newUserId = await redeemSignUp(services, request.cookies, hint)
    if (newUserId) {
      rememberDevice(request.cookies, vault, hint)
      return finishInteraction(issuer, request, details, newUserId)
    }
    const name = request.url.searchParams.get('name')?.slice(0, 256)
    return renderForm(services, request, details, name ? { name } : {})
  })

  page('POST', '/idp/login/{uid}', async (request) => {
    const details = await findInteraction(issuer, request)
    if (!details || vault.open('directory-form', request.form.get('seal') ?? '') !== details.uid)
      return renderExpired(request)
    const trace = beginTrace(services, request, details)
    try {
      return await handleSubmit(services, { issuer, lockout, request, details, trace })
    } finally {
      traces.record(trace)
    }
  })

  serveSignUp({ page }, services)
  servePageScript(mount, showPasswordPath, new URL('./show-password.js', import.meta.url))
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

/** Returns the attempt to sign in to Passport that led to the directory. */
const findSignIn = ({ http, vault }: Services, { cookies }: PageRequest, { params }: InteractionDetails) =>
  findAttempt(cookies, http, vault, String(params['state'] ?? ''))

async function renderForm(
  services: Services,
  request: PageRequest,
  details: InteractionDetails,
  values: { name?: string; errorMessage?: string },
) {
  const { sql, config, branding, vault } = services
  const attempt = findSignIn(services, request, details)
  const demoUsers = config.isLoopback ? await store.listDemoUsers(sql) : []
  const signUpUrl =
    attempt && !attempt.isFresh
      ? await findSignUpUrl(services, request, { returnTo: attempt.returnTo, interaction: attempt.interaction ?? null })
      : undefined
  return renderSignInPage({
    // The form may be reached by an address whose domain has named an organisation.
    brand: await branding.findForEmail(sql, String(details.params['login_hint'] ?? '')),
    purpose: { isFresh: attempt?.isFresh ?? false, ...(attempt?.clientName && { clientName: attempt.clientName }) },
    uid: details.uid,
    seal: vault.seal('directory-form', details.uid),
    name: values.name ?? String(details.params['login_hint'] ?? ''),
    ...(values.errorMessage && {
      errorMessage: values.errorMessage,
      supportCode: supportCodeOf(request.visit.traceId),
    }),
    ...(signUpUrl && { signUpUrl }),
    demoUsers,
    texts: await readPageTexts(services, 'login.notice', request),
    formTargets: attempt?.clientOrigin ? [attempt.clientOrigin] : [],
  })
}

/** Begins the trace of a password form, which belongs to the attempt that led to the directory. */
function beginTrace(services: Services, request: PageRequest, details: InteractionDetails): Trace {
  const attempt = findSignIn(services, request, details)
  return new Trace('directory', request.visit)
    .link('state', attempt?.state)
    .link('interaction', attempt?.interaction)
    .about({ provider: 'local', client: attempt?.clientId, domain: attempt?.domain })
    .pass('request-received')
    .begin('password-checked')
}

interface Submission {
  issuer: Issuer
  lockout: Lockout
  request: PageRequest
  details: InteractionDetails
  trace: Trace
}

async function handleSubmit(
  services: Services,
  { issuer, lockout, request, details, trace }: Submission,
): Promise<PageResult> {
  const { sql } = services
  const { node, visit, cookies } = request
  if (request.form.get('cancel')) {
    const provider = await issuer.provider()
    trace.fail('cancelled')
    const denial = { error: 'access_denied', error_description: 'The user cancelled the sign-in.' }
    return { redirect: await provider.interactionResult(node.incoming, node.outgoing, denial) }
  }
  const name = (request.form.get('name') ?? '').trim().slice(0, 256)
  const user = await store.findBySignInName(sql, name)
  const attempt: PasswordAttempt = { name, account: user?.name ?? name, ip: visit.ip, cookies }
  const lockedSeconds = await lockout.begin(attempt)
  if (lockedSeconds > 0) {
    trace.fail('password-locked', { seconds: lockedSeconds })
    return await renderForm(services, request, details, { name, errorMessage: formatLockError(lockedSeconds) })
  }
  const isCorrect = await verifyPassword(user?.passwordHash, request.form.get('password') ?? '').catch(
    async (error) => {
      await lockout.cancel(attempt)
      throw error
    },
  )
  if (!isCorrect) {
    const failure = await lockout.fail(attempt)
    const { domain, clientId } = findSignIn(services, request, details) ?? {}
    const target = await recordFailure(services, request, user, {
      ...failure,
      ...(domain && { domain }),
      ...(clientId && { client: clientId }),
    })
    if (target.kind === 'user') trace.about({ userId: target.id ?? undefined })
    trace.fail('password-wrong', { account: user ? 'known' : 'unknown', locked: failure.isLocked || undefined })
    if (user && failure.isGuessLimitReached) notifyOfGuesses(services, user)
    return renderForm(services, request, details, { name, errorMessage: 'Wrong username or password.' })
  }
  if (!user) throw new Error('A password matched without a user')
  await lockout.succeed(attempt)
  trace.pass('password-checked')
  return finishInteraction(issuer, request, details, user.id)
}

/** Continues the authorization request with the user of the directory who has just authenticated. */
async function finishInteraction(
  issuer: Issuer,
  { node }: PageRequest,
  details: InteractionDetails,
  userId: string,
): Promise<PageResult> {
  const provider = await issuer.provider()
  if (details.session && details.session.accountId !== userId)
    await endFormerSession(issuer, details.session.uid, details.uid)
  const login = { accountId: userId, amr: ['pwd'], ts: Math.floor(Date.now() / 1000) }
  const result = { login, ...(details.prompt.name === 'select_account' && { select_account: {} }) }
  return { redirect: await provider.interactionResult(node.incoming, node.outgoing, result) }
}

function formatLockError(seconds: number): string {
  if (seconds > 90 * 60)
    return `Too many wrong passwords. Try again in ${Math.ceil(seconds / 3600)} hours, or in a browser in which you have signed in with this username before.`
  return `Too many wrong passwords. Try again in ${seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`}.`
}

/**
 * Records a failed sign-in for the account of the user, which is returned. An unknown name is not stored, because it may
 * be a password.
 */
async function recordFailure(
  { sql, activity }: Services,
  { visit }: PageRequest,
  user: store.DirectoryUser | undefined,
  { isLocked, isGuessLimitReached, ...attempt }: FailureResult & { domain?: string; client?: string },
): Promise<audit.AuditEvent['target']> {
  activity.countSignIn('password-wrong')
  // Unknown names have the same lookup, so that the response time does not reveal them.
  const login = await accounts.findLogin(sql, store.identityIssuer, user?.id ?? '')
  const target = login
    ? { kind: 'user' as const, id: login.userId }
    : { kind: 'directory-person' as const, id: user?.id ?? null }
  const event = { target, after: { idp: 'local', ...attempt }, reason: 'password-wrong', visit }
  await audit.recordAll(sql, [
    { ...event, action: isLocked ? 'directory.locked' : 'directory.password-refused' },
    ...(isGuessLimitReached ? [{ ...event, action: 'directory.guesses-stopped' as const }] : []),
  ])
  return target
}

/**
 * Ends the browser's session at the directory. No confirmation is needed, because the ID token hint names the user of
 * the session.
 */
async function endSession(
  { config, branding, vault }: Services,
  issuer: Issuer,
  { url, node }: PageRequest,
): Promise<PageResult> {
  const { clientId, postLogoutRedirectUri } = deriveDirectoryClient(config.publicUrl, vault)
  const passport = { clientId, name: branding.current().name, postLogoutRedirectUris: [postLogoutRedirectUri] }
  const findClient = async (id: string) => (id === clientId ? passport : undefined)
  try {
    const request = await parseEndSessionRequest(
      url.searchParams,
      findClient,
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
