import { findInvitedUrl } from '../enrolment/mailed.ts'
import type { Routes, Services } from '../feature.ts'
import { type Page, type PageRequest, type PageResult, renderContact } from '../http/page.ts'
import { anonymousLimit } from '../http/rate-limit.ts'
import { reportRejection } from '../http/report.ts'
import { findAdmission } from '../login/admission.ts'
import { parseReturnUrl } from '../login/return-url.ts'
import { findPendingClient } from '../provider/pending-request.ts'
import { Trace } from '../sign-in-traces/trace.ts'
import { signUpPath } from './offer-sign-up.ts'
import { beginSignUp, type Confirmation, confirmSignUp, maxMails, resendCode } from './sign-up.ts'
import { parseSignUp, type SignUpErrors } from './sign-up-form.ts'
import * as pages from './sign-up-pages.ts'
import * as signUps from './sign-up-store.ts'
import { signUpCookie } from './start-sign-in.ts'

const path = signUpPath
const { name: cookieName, maxAgeSeconds } = signUpCookie
const rateLimit = anonymousLimit('sign-up')

/** Serves the pages on which an invited user creates an account in the built-in directory. */
export function serveSignUp({ page }: Pick<Routes, 'page'>, services: Services): void {
  page(
    'GET',
    path,
    async (request) => {
      const { searchParams } = request.url
      const invitedUrl = await findInvitedUrl(services, readDestination(searchParams).returnTo)
      return invitedUrl ? { redirect: invitedUrl } : showForm(services, request, searchParams)
    },
    { rateLimit },
  )
  page('POST', path, (request) => submitForm(services, request), { rateLimit })
  page('GET', `${path}/code`, (request) => showCode(services, request), { rateLimit })
  page('POST', `${path}/code`, (request) => submitCode(services, request), { rateLimit })
}

const readDestination = (parameters: URLSearchParams): pages.Destination => ({
  returnTo: parseReturnUrl(parameters.get('returnUrl')),
  interaction: parameters.get('interaction')?.slice(0, 100) || null,
})

/** Renders the form; with the values of a sign-up that waits for its code, so that its address can be changed. */
async function showForm(
  services: Services,
  request: PageRequest,
  parameters: URLSearchParams,
  { errors = {}, status }: { errors?: SignUpErrors; status?: number } = {},
): Promise<Page> {
  const { sql, config, branding } = services
  const destination = readDestination(parameters)
  const admission = await findAdmission(services, request, destination.returnTo)
  if (!admission) return refuse(services, request)
  if (!config.mail) return pages.renderNoMailPage(renderContact(branding.current()), destination)
  const token = request.cookies.get(cookieName)
  const pending = token === undefined || parameters.has('email') ? undefined : await signUps.find(sql, token)
  return pages.renderSignUpPage({
    purpose: admission.purpose,
    destination,
    email: parameters.get('email') ?? pending?.email ?? '',
    name: parameters.get('name') ?? pending?.displayName ?? '',
    errors,
    ...(status && { status }),
  })
}

function refuse({ branding, config, log, traces }: Services, { visit }: PageRequest): Page {
  traces.record(new Trace('sign-up', visit).about({ provider: 'local' }).fail('not-invited', {}, 'account-admitted'))
  const supportCode = reportRejection(log, visit, { code: 'not-invited' })
  return pages.renderNotInvitedPage(renderContact(branding.current()), supportCode, config.awsMarketplace !== null)
}

async function submitForm(services: Services, request: PageRequest): Promise<PageResult> {
  const { config, sql, branding } = services
  const { form, cookies, visit } = request
  const destination = readDestination(form)
  const admission = await findAdmission(services, request, destination.returnTo)
  if (!admission || !config.mail) return showForm(services, request, form)
  const parsed = parseSignUp(form, branding.current().name)
  if ('errors' in parsed) return showForm(services, request, form, parsed)
  if (!admission.admits(parsed.values.email))
    return showForm(services, request, form, {
      errors: { email: 'Enter the address to which the invitation was sent.' },
    })
  const begun = await beginSignUp(services, { ...parsed.values, ...destination }, visit)
  if ('waitSeconds' in begun)
    return showForm(services, request, form, { errors: { email: formatWait(begun.waitSeconds) }, status: 429 })
  const former = cookies.get(cookieName)
  if (former !== undefined) await signUps.remove(sql, former)
  cookies.set(cookieName, begun.token, { maxAgeSeconds })
  return { redirect: `${path}/code` }
}

const formatWait = (seconds: number) =>
  `We sent ${maxMails} emails to this address within an hour. Try again in ${Math.ceil(seconds / 60)} minutes.`

async function showCode(
  services: Services,
  request: PageRequest,
  form: { errorMessage?: string; canTry?: boolean; status?: number } = {},
): Promise<PageResult> {
  const { sql, log, traces } = services
  const token = request.cookies.get(cookieName)
  const signUp = token === undefined ? undefined : await signUps.find(sql, token)
  if (!signUp) {
    const code = 'sign-up-expired'
    traces.record(new Trace('sign-up', request.visit).about({ provider: 'local' }).fail(code))
    return pages.renderSignUpExpiredPage(reportRejection(log, request.visit, { code }))
  }
  if (signUp.personId) return { redirect: toSignIn(signUp) }
  const { clientOrigin } = signUp.interaction ? await findPendingClient(services, signUp.interaction) : {}
  return pages.renderCodePage({
    email: signUp.email,
    destination: signUp,
    canTry: true,
    isResent: request.url.searchParams.has('sent'),
    // The redirects after the form end at the application.
    formTargets: clientOrigin ? [clientOrigin] : [],
    ...form,
  })
}

/** Returns the URL that signs the new user in, for which the browser's sign-up is redeemed. */
const toSignIn = ({ email, ...destination }: signUps.SignUp) =>
  pages.formatUrl('/login', destination, { idp: 'local', prompt: 'select_account', login_hint: email })

async function submitCode(services: Services, request: PageRequest): Promise<PageResult> {
  const { sql } = services
  const { form, cookies, visit } = request
  const token = cookies.get(cookieName)
  const signUp = token === undefined ? undefined : await signUps.find(sql, token)
  if (token === undefined || !signUp) return showCode(services, request)
  const admission = await findAdmission(services, request, signUp.returnTo)
  if (!admission?.admits(signUp.email) && !signUp.personId) return refuse(services, request)
  if (form.get('resend')) {
    const waitSeconds = await resendCode(services, token, signUp.email, visit)
    if (waitSeconds === 0) return { redirect: `${path}/code?sent=yes` }
    return showCode(services, request, { errorMessage: formatWait(waitSeconds), status: 429 })
  }
  const confirmation = await confirmSignUp(sql, token, form.get('code') ?? '', visit)
  if (confirmation.outcome === 'confirmed') return { redirect: toSignIn(confirmation.signUp) }
  if (confirmation.outcome === 'taken') return pages.renderTakenPage(signUp)
  return showCode(services, request, {
    errorMessage: explain(confirmation),
    canTry: confirmation.outcome === 'wrong' || confirmation.outcome === 'invalid',
  })
}

function explain(confirmation: Exclude<Confirmation, { outcome: 'confirmed' | 'taken' }>): string {
  switch (confirmation.outcome) {
    case 'wrong':
      return `This code is wrong. ${confirmation.triesLeft === 1 ? '1 try' : `${confirmation.triesLeft} tries`} left.`
    case 'expired':
      return 'This code has expired. Send a new one.'
    case 'exhausted':
      return 'Too many wrong codes. Send a new one.'
    default:
      return 'Enter the 6 digits of the code.'
  }
}
