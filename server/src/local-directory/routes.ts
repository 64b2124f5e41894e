import type { Feature, Services } from '../feature.ts'
import type { Page, PageRequest, PageResult } from '../http/page.ts'
import { servePageScript } from '../http/page-script.ts'
import { anonymousLimit } from '../http/rate-limit.ts'
import { reportRejection } from '../http/report.ts'
import { cutText } from '../http/storable-text.ts'
import type { Upstream } from '../identity-providers/upstreams.ts'
import { type Attempt, findAttemptByHandle, isExpired } from '../login/attempt.ts'
import { completeAttempt, handleReplay } from '../login/complete.ts'
import { SignInFailure } from '../login/failure.ts'
import { createFailureResponder } from '../login/respond-with-failure.ts'
import { Trace } from '../sign-in-traces/trace.ts'
import { authenticateUser } from './authenticate.ts'
import { type CheckPassword, createPasswordCheck } from './check-password.ts'
import { formPurpose, showSignInForm } from './form.ts'
import { renderExpiredPage, showPasswordPath } from './pages.ts'
import { serveDirectoryIssuer } from './serve-issuer.ts'
import { serveSignUp } from './serve-sign-up.ts'

/** The built-in identity provider: usernames and passwords for users without another provider. */
export const localDirectory: Feature = ({ page, mount }, services) => {
  const { config, vault, traces, upstreams } = services
  const upstream = upstreams.all.find(({ kind }) => kind === 'local')
  if (!upstream) return
  const checkPassword = createPasswordCheck(services)
  const fail = createFailureResponder(services)

  page('GET', '/idp/login/{uid}', async (request) => {
    const attempt = findPendingAttempt(services, request)
    if (!attempt || attempt.spent) return showExpired(services, request)
    const name = cutText(request.url.searchParams.get('name') ?? '', 256)
    return showSignInForm(services, request, attempt, name ? { name } : {})
  })

  page('POST', '/idp/login/{uid}', async (request) => {
    const attempt = findPendingAttempt(services, request)
    if (!attempt || vault.open(formPurpose, request.form.get('seal') ?? '') !== attempt.state)
      return showExpired(services, request)
    const trace = beginTrace(request, attempt)
    try {
      return await handleSubmit(services, request, { attempt, upstream, trace, checkPassword })
    } catch (error) {
      if (!(error instanceof SignInFailure)) throw error
      return await fail(request, error, { upstream, signInRequest: attempt, attempt, trace })
    } finally {
      traces.record(trace)
    }
  })

  serveSignUp({ page }, services)
  servePageScript(mount, showPasswordPath, new URL('./show-password.js', import.meta.url))
  if (config.isDirectoryIssuer) serveDirectoryIssuer({ page, mount }, services, checkPassword)
  // The address of a sign-in in the history of a browser, from when the directory always was an issuer.
  else page('GET', '/idp/authorize', () => ({ redirect: '/login' }), { rateLimit: anonymousLimit('idp-authorize') })
}

/** Returns the attempt of this browser that a form belongs to; undefined if there is none, or it has expired. */
function findPendingAttempt({ http, vault }: Services, { cookies, params }: PageRequest): Attempt | undefined {
  const attempt = findAttemptByHandle(cookies, http, vault, params['uid'] ?? '')
  return attempt?.idp === 'local' && !isExpired(attempt, Date.now()) ? attempt : undefined
}

function showExpired({ log, traces }: Services, { visit }: PageRequest): Page {
  const code = 'directory-sign-in-expired'
  traces.record(new Trace('directory', visit).about({ provider: 'local' }).fail(code))
  return renderExpiredPage(reportRejection(log, visit, { code }))
}

/** Begins the trace of a submitted form. */
function beginTrace({ visit }: PageRequest, { state, interaction, clientId, domain }: Attempt): Trace {
  return new Trace('directory', visit)
    .link('state', state)
    .link('interaction', interaction)
    .about({ provider: 'local', client: clientId, domain })
    .pass('request-received')
}

interface Submission {
  attempt: Attempt
  upstream: Upstream
  trace: Trace
  checkPassword: CheckPassword
}

/** Checks the password and completes the attempt. A wrong password leaves it pending. Throws `SignInFailure`. */
async function handleSubmit(
  services: Services,
  request: PageRequest,
  { attempt, upstream, trace, checkPassword }: Submission,
): Promise<PageResult> {
  trace.begin('response-unused')
  if (attempt.spent) {
    const result = handleReplay(request, attempt)
    trace.pass('session-found').succeed()
    return result
  }
  const completion = { attempt, upstream, trace }
  if (request.form.get('cancel')) {
    const authenticate = async () => {
      throw new SignInFailure('cancelled', 'access_denied: The user cancelled the sign-in.')
    }
    return completeAttempt(services, request, { ...completion, authenticate })
  }
  const { domain, clientId } = attempt
  return checkPassword(
    request,
    { domain, clientId, trace },
    {
      accept: ({ user, account, proof }) => {
        const authenticate = async () => ({ authentication: authenticateUser(upstream, user) })
        return completeAttempt(services, request, { ...completion, known: account, proof, authenticate })
      },
      refuse: (values) => showSignInForm(services, request, attempt, values),
    },
  )
}
