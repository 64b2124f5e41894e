import type * as audit from '../audit/store.ts'
import type { Services } from '../feature.ts'
import { type PageRequest, type PageResult, renderContact } from '../http/page.ts'
import { reportRejection } from '../http/report.ts'
import { toStorableText } from '../http/storable-text.ts'
import type { Upstream } from '../identity-providers/upstreams.ts'
import { createFailureRecorder } from '../sign-in-traces/record-failure.ts'
import type { Trace } from '../sign-in-traces/trace.ts'
import type { Attempt } from './attempt.ts'
import { toFailure } from './failure.ts'
import { renderFailurePage } from './pages.ts'
import type { SignInRequest } from './upstream-flow.ts'

/** Renders the page of a failed sign-in, and records the failure. */
export type RespondWithFailure = (
  request: PageRequest,
  error: unknown,
  context: {
    upstream: Upstream | undefined
    signInRequest: Omit<SignInRequest, 'idp'>
    attempt?: Attempt
    trace: Trace
  },
) => Promise<PageResult>

/**
 * Creates the function that renders a failure page, and records the failure in the log, the audit and the trace under
 * the page's support code. Failures of linking a login and of tests are always recorded.
 */
export function createFailureResponder({ branding, log, sql, http, activity }: Services): RespondWithFailure {
  const recordFailure = createFailureRecorder({ sql, http })

  return async ({ visit }, error, { upstream, signInRequest, attempt, trace }) => {
    const { returnTo, isFresh, interaction, domain, clientId } = signInRequest
    const failure = toFailure(error)
    if (!attempt?.link && !attempt?.test) activity.countSignIn(failure.code)
    trace.fail(failure.code, { message: failure.message })
    const idp = upstream?.id ?? null
    const supportCode = reportRejection(log, visit, { code: failure.code, message: failure.message, idp })
    // Anyone can open a callback, of which no browser started the sign-in.
    if (attempt || failure.code !== 'state-unknown') {
      const message = toStorableText(failure.message, 1000)
      const after = { idp, message, ...(domain && { domain }), ...(clientId && { client: clientId }) }
      const event = { target: toTarget(attempt), after, reason: failure.code, visit }
      await recordFailure(event, { isAlways: Boolean(attempt?.link ?? attempt?.test) })
    }
    if (attempt?.test && failure.code !== 'session-changed')
      return {
        redirect: `${returnTo}?${new URLSearchParams({ test: 'failed', code: failure.code, support: supportCode })}`,
      }
    // The retry of a forced sign-in is forced again, and the retry for an application returns to that application.
    const retry = new URLSearchParams({
      returnUrl: returnTo,
      prompt: isFresh ? 'login' : 'select_account',
      ...(interaction && { interaction }),
      ...(upstream?.tenant?.isEnabled && { tenant: upstream.tenant.id }),
    })
    return renderFailurePage({
      code: failure.code,
      providerName: upstream?.name ?? 'The identity provider',
      supportContact: renderContact(branding.current()),
      // Signing in again would not link the login, so the user starts again from the page of logins.
      retryUrl: attempt?.link || attempt?.test ? returnTo : `/login?${retry}`,
      supportCode,
    })
  }
}

const toTarget = (attempt: Attempt | undefined): audit.AuditEvent['target'] => {
  if (attempt?.test) return { kind: 'org', id: attempt.test.orgId }
  return attempt?.link ? { kind: 'user', id: attempt.link.userId } : { kind: 'attempt', id: null }
}
