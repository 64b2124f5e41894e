import type { Client } from '../clients/store.ts'
import type { Services } from '../feature.ts'
import type { Visit } from '../http/visit.ts'
import type { OAuthError } from '../oauth/oauth-error.ts'
import type { Parameters } from '../oauth/parameters.ts'
import { Trace } from '../sign-in-traces/trace.ts'
import type { UserNeeded } from './decide-prompt.ts'
import { createRefusalRecorder } from './trace-failure.ts'

/** What is known of an authorization request, for its trace. */
export interface TracedAuthorization {
  visit: Visit
  /** In milliseconds since 1970. */
  startedAt: number
  parameters: Parameters
  client?: Client | undefined
  /** The id of the pending request. */
  uid?: string | undefined
  userId?: string | undefined
  /** The request continues after its user has done what it needed. */
  isContinued?: boolean
}

/** The errors of a silent request that only needs the user (OpenID Connect Core, section 3.1.2.6). */
const needsUser = new Set(['login_required', 'consent_required', 'interaction_required', 'account_selection_required'])

const isSilent = ({ parameters }: TracedAuthorization) => (parameters.get('prompt') ?? '').split(' ').includes('none')

const stripQuery = (uri: string | undefined) => uri?.split(/[?#]/)[0]

/** Begins the trace of an authorization request. */
export function beginTrace({
  visit,
  startedAt,
  parameters,
  client,
  uid,
  userId,
  isContinued,
}: TracedAuthorization): Trace {
  const trace = new Trace('authorization', visit, startedAt)
    .link('interaction', uid)
    .about({ client: client?.clientId ?? parameters.get('client_id'), userId })
    .pass('request-received', {
      prompt: parameters.get('prompt'),
      scope: parameters.get('scope'),
      continued: isContinued && 'after the user',
    })
  return client
    ? trace.pass('application-found', { application: client.name, to: stripQuery(parameters.get('redirect_uri')) })
    : trace
}

/** Traces a request that needs its user. */
export const traceNeededUser = (known: TracedAuthorization, { prompt, reasons }: UserNeeded): Trace =>
  beginTrace(known)
    .pass('parameters-checked')
    .pass('user-needed', { prompt, reasons: reasons.join(', ') })

/** Traces a request, whose response has this code. */
export const traceIssuedCode = (known: TracedAuthorization, code: string): Trace =>
  beginTrace(known).link('code', code).pass('parameters-checked').pass('session-found').pass('code-issued').succeed()

/**
 * Creates the function that traces failed requests, and records them in the audit log: not those of silent requests that
 * only need the user, which browsers send every few seconds, nor those that a user has denied, which its page records.
 */
export function createAuthorizationFailureTracer(services: Pick<Services, 'sql' | 'http' | 'traces' | 'log'>) {
  const recordRefusal = createRefusalRecorder(services)

  return async (known: TracedAuthorization, { code, message, detail }: OAuthError): Promise<void> => {
    const { client, parameters, visit, userId } = known
    if (code === 'login_required' && isSilent(known) && userId === undefined) return
    const text = [message, detail].filter(Boolean).join(': ')
    const received = code === 'invalid_redirect_uri' ? stripQuery(parameters.get('redirect_uri')) : undefined
    const step = !client ? 'application-found' : needsUser.has(code) ? 'session-found' : 'parameters-checked'
    services.traces.record(
      beginTrace(known).fail(code, { message: text, received, silent: isSilent(known) ? 'yes' : undefined }, step),
    )
    if (needsUser.has(code) || code === 'access_denied') return
    const clientId = client?.clientId ?? parameters.get('client_id')
    // A user may look there for the code of the page.
    await recordRefusal(visit, { clientId, code, message: text })
  }
}
