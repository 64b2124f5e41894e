import { supportCodeOf } from '@passport/contract/support-code'
import { isDatabaseBusy, isDatabaseFull, isDatabaseUnavailable } from '../database/sql.ts'
import type { Log } from '../log.ts'
import type { HttpContext } from './http-context.ts'
import { Problem } from './problem.ts'
import { databaseBusy, databaseFull, databaseUnavailable, internalError } from './problems.ts'
import type { RequestIds } from './visit.ts'

/** Converts an error to a problem for the caller. Logs a server error in full, with the redacted path of the URL. */
export function reportProblem(
  error: unknown,
  url: string,
  ids: RequestIds,
  { log }: Pick<HttpContext, 'log'>,
): Problem {
  const problem = toProblem(error)
  if (problem.status >= 500) logServerError(log, error, problem, { path: redactPath(url), ...toLogFields(ids) })
  return problem
}

/**
 * Logs a server error. A problem that the code throws is a warning, since any caller can cause it by a request to another
 * service, or to a feature that is not configured. Bugs and failures of the database are errors.
 */
export function logServerError(log: Log, error: unknown, { code }: Problem, details: object): void {
  log[error instanceof Problem ? 'warn' : 'error']({ err: error, ...details }, code)
}

/** Returns the ids of a request as each of its log lines has them. */
export const toLogFields = ({ traceId, requestId }: RequestIds) => ({ traceId, supportCode: supportCodeOf(requestId) })

/** The reason for a rejection, for the log: a stable code, and details without secrets. */
interface Rejection {
  code: string
  [detail: string]: unknown
}

/** Logs a rejection and returns the support code that the page shows. */
export function reportRejection(log: Log, ids: RequestIds, rejection: Rejection): string {
  const fields = toLogFields(ids)
  log.warn({ ...rejection, ...fields }, 'request rejected on a page')
  return fields.supportCode
}

/**
 * Matches paths with a secret segment: a join link, the link of a notice, the user code of a device, the uid of an
 * authorization request.
 */
const secretSegment =
  /^(\/*(?:(?:app\/+)?join\/+(?:index\/+)?|notices\/+|passport\/+deviceauthorization\/+(?!(?:events|pin)$)|connect\/+(?:interaction|authorize)\/+|idp\/+(?:authorize|login|interaction)\/+))[^/]+/

/** Returns the path of a URL for the log, without a secret segment. The query may have codes and ID tokens. */
export function redactPath(url: string): string {
  const [path = ''] = url.split('?')
  return path.replace(secretSegment, '$1{id}')
}

/** Converts any error to a problem; an unexpected one becomes `internal-error`. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (isDatabaseFull(error)) return databaseFull()
  if (isDatabaseBusy(error)) return databaseBusy()
  if (isDatabaseUnavailable(error)) return databaseUnavailable()
  return internalError()
}
