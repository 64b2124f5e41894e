import * as audit from '../audit/store.ts'
import type { Services } from '../feature.ts'
import { type PageRequest, type PageResult, renderContact } from '../http/page.ts'
import { createFailureCounter } from '../http/rate-limit.ts'
import { reportRejection } from '../http/report.ts'
import { subscriberOf, type Visit } from '../http/visit.ts'
import type { Upstream } from '../identity-providers/upstreams.ts'
import type { Attempt } from './attempt.ts'
import { type SignInFailure, toFailure } from './failure.ts'
import { renderFailurePage } from './pages.ts'
import type { SignInRequest } from './upstream-flow.ts'

/** Renders the page of a failed sign-in, and records the failure. */
export type RespondWithFailure = (
  request: PageRequest,
  error: unknown,
  context: { upstream: Upstream | undefined; signInRequest: Omit<SignInRequest, 'idp'>; attempt?: Attempt },
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
export function createFailureResponder({ branding, log, sql, http, activity }: Services): RespondWithFailure {
  const failures = createFailureCounter(sql, 'failed-sign-ins', maxRecordedFailures, 3600)
  const isRecorded = async (visit: Visit, attempt: Attempt | undefined, { code }: SignInFailure) => {
    if (attempt?.link || attempt?.test) return true
    if (!attempt && code === 'state-unknown') return false
    return http.isLocal(visit) || (await failures.begin(subscriberOf(visit.ip))) === 0
  }

  return async ({ visit }, error, { upstream, signInRequest, attempt }) => {
    const { returnTo, isFresh, interaction, domain } = signInRequest
    const failure = toFailure(error)
    if (!attempt?.link && !attempt?.test) activity.countSignIn(failure.code)
    const idp = upstream?.id ?? null
    const supportCode = reportRejection(log, visit, { code: failure.code, message: failure.message, idp })
    if (await isRecorded(visit, attempt, failure)) {
      await audit.record(sql, {
        action: 'signin.failed',
        target: toTarget(attempt),
        after: { idp, message: failure.message.slice(0, 1000), ...(domain && { domain }) },
        reason: failure.code,
        visit,
      })
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
