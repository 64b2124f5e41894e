import { isDatabaseUnavailable } from '../database/sql.ts'
import type { Door } from './door.ts'
import type { Log } from './log.ts'
import { Problem } from './problem.ts'
import { supportCodeOf, type Visit } from './visit.ts'

/**
 * What a caller may know of something that was thrown; the whole of it goes to the log where it is our fault. Of the
 * address only what `loggedPath` leaves does.
 */
export function reportProblem(error: unknown, url: string, { traceId }: Visit, { log }: Pick<Door, 'log'>): Problem {
  const problem = problemOf(error)
  const path = loggedPath(url)
  if (problem.status >= 500) log.error({ err: error, path, traceId, supportCode: supportCodeOf(traceId) }, problem.code)
  return problem
}

/** Why a page says no, for the log: the stable name of what went wrong, and what else may be kept, which is no secret. */
interface Refusal {
  code: string
  [detail: string]: unknown
}

/** The code that a page shows, with the line in the log that support finds by it. */
export function reportRefusal(log: Log, { traceId }: Pick<Visit, 'traceId'>, refusal: Refusal): string {
  const supportCode = supportCodeOf(traceId)
  log.warn({ ...refusal, traceId, supportCode }, 'refused on a page')
  return supportCode
}

/** What the log may keep of an address: no query, in which codes and ID tokens come, and no token of a link to join by. */
export function loggedPath(url: string): string {
  const [path = ''] = url.split('?')
  return path.replace(/^((?:\/app)?\/+join\/+(?:index\/+)?)[^/]+/, '$1{id}')
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (isDatabaseUnavailable(error)) {
    return new Problem(503, 'database-unavailable', 'The database does not answer.', {
      headers: { 'Retry-After': '5' },
    })
  }
  return new Problem(500, 'internal-error', 'Something went wrong here. The trace id finds it in the log.')
}
