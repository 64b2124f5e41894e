import { isDatabaseUnavailable } from '../database/sql.ts'
import type { Door } from './door.ts'
import { Problem } from './problem.ts'
import { supportCodeOf, type Visit } from './visit.ts'

/**
 * What a caller may know of something that was thrown; the whole of it goes to the log where it is our fault. Of the
 * address only the path does: codes and ID tokens come in queries.
 */
export function reportProblem(error: unknown, url: string, { traceId }: Visit, { log }: Pick<Door, 'log'>): Problem {
  const problem = problemOf(error)
  const path = url.split('?')[0]
  if (problem.status >= 500) log.error({ err: error, path, traceId, supportCode: supportCodeOf(traceId) }, problem.code)
  return problem
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
