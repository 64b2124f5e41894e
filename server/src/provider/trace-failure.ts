import type { TracePartKind, TraceStepName } from '@passport/contract/sign-in-traces'
import type { Client } from '../clients/store.ts'
import type { Services } from '../feature.ts'
import { toStorableText } from '../http/storable-text.ts'
import type { Visit } from '../http/visit.ts'
import type { OAuthError } from '../oauth/oauth-error.ts'
import type { Parameters } from '../oauth/parameters.ts'
import { createFailureRecorder } from '../sign-in-traces/record-failure.ts'
import { Trace } from '../sign-in-traces/trace.ts'

/** How the failures of an endpoint are traced. */
export interface TracedRequests {
  kind: TracePartKind
  /** The step at which a request of a known client fails. */
  failsAt: TraceStepName
  /** Adds what the request is about, and its first step. */
  begin: (trace: Trace, parameters: Parameters) => Trace
  /** Reports whether a failure is an event of the audit log too. */
  isAudited: (parameters: Parameters) => boolean
  /** The audit log is written before the response, because a user may look there for the code of a page. */
  awaitsAudit?: boolean
}

/** What a request was known to be when it failed. */
export interface FailedRequest {
  client?: Client
  /** The client that the request is from, according to itself. */
  clientId?: string
  parameters?: Parameters
  visit: Visit
  /** In milliseconds since 1970. */
  startedAt: number
  subject: { userId?: string }
}

/** The responses to a device that waits for its approval. */
const isWaiting = ({ code }: OAuthError) => code === 'authorization_pending' || code === 'slow_down'

/** A refused request of an application. */
interface Refusal {
  /** The client that the request is from, according to itself. */
  clientId: string | undefined
  code: string
  message: string
}

/** Creates the function that records refused requests in the audit log. A failure to do so is logged. */
export function createRefusalRecorder(services: Pick<Services, 'sql' | 'http' | 'log'>) {
  const recordFailure = createFailureRecorder(services)
  return async (visit: Visit, { clientId, code, message }: Refusal): Promise<void> => {
    const after = { idp: null, message, ...(clientId && { client: toStorableText(clientId, 256) }) }
    await recordFailure({ target: { kind: 'attempt', id: null }, after, reason: code, visit }).catch((error) =>
      services.log.warn({ err: error }, 'failed-sign-in-not-recorded'),
    )
  }
}

/** Creates the function that traces a failed request of a client, and records it in the audit log. */
export function createFailureTracer(
  services: Pick<Services, 'sql' | 'http' | 'traces' | 'log'>,
  { kind, failsAt, begin, isAudited, awaitsAudit = false }: TracedRequests,
) {
  const { traces } = services
  const recordRefusal = createRefusalRecorder(services)

  return async (request: FailedRequest, error: OAuthError): Promise<void> => {
    if (isWaiting(error)) return
    const { client, clientId, parameters = new Map<string, string>(), visit, startedAt, subject } = request
    const message = [error.message, error.detail].filter(Boolean).join(': ')
    const trace = begin(new Trace(kind, visit, startedAt).about({ client: clientId, ...subject }), parameters)
    if (client && error.code !== 'invalid_client')
      trace.pass('client-authenticated', { application: client.name }).fail(error.code, { message }, failsAt)
    else trace.fail(error.code, { message }, 'client-authenticated')
    traces.record(trace)
    if (!isAudited(parameters)) return
    const recorded = recordRefusal(visit, { clientId, code: error.code, message })
    if (awaitsAudit) await recorded
  }
}
