import { supportCodeOf } from '@passport/contract/support-code'
import { isDatabaseFull, isDatabaseUnavailable } from '../database/sql.ts'
import type { Log } from '../log.ts'
import type { HttpContext } from './http-context.ts'
import { Problem } from './problem.ts'
import { databaseFull, databaseUnavailable, internalError } from './problems.ts'
import type { Visit } from './visit.ts'

/**
 * Converts an error to a problem for the caller; a server error is logged in full. Of the address only the part from
 * `loggedPath` is logged.
 */
export function reportProblem(
  error: unknown,
  url: string,
  { traceId }: Pick<Visit, 'traceId'>,
  { log }: Pick<HttpContext, 'log'>,
): Problem {
  const problem = toProblem(error)
  const path = loggedPath(url)
  if (problem.status >= 500) log.error({ err: error, path, traceId, supportCode: supportCodeOf(traceId) }, problem.code)
  return problem
}

/** Why a page rejects a request, for the log: a stable code, and further details without secrets. */
interface Rejection {
  code: string
  [detail: string]: unknown
}

/** Logs a rejection and returns the support code that the page shows. */
export function reportRejection(log: Log, { traceId }: Pick<Visit, 'traceId'>, refusal: Rejection): string {
  const supportCode = supportCodeOf(traceId)
  log.warn({ ...refusal, traceId, supportCode }, 'request rejected on a page')
  return supportCode
}

/** Paths that end in a secret: a join link, the user code of a device, the uid of an authorization request. */
const secretSegment =
  /^(\/*(?:(?:app\/+)?join\/+(?:index\/+)?|passport\/+deviceauthorization\/+(?!(?:events|pin)$)|connect\/+(?:interaction|authorize)\/+|idp\/+(?:authorize|login)\/+))[^/]+/

/**
 * Returns the part of an address that may be logged: no query, which has codes and ID tokens, and no secret segment.
 */
export function loggedPath(url: string): string {
  const [path = ''] = url.split('?')
  return path.replace(secretSegment, '$1{id}')
}

/** Converts an error to a problem. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (isDatabaseFull(error)) return databaseFull()
  if (isDatabaseUnavailable(error)) return databaseUnavailable()
  return internalError()
}
