import type { HttpContext } from '../http/http-context.ts'
import { Problem } from '../http/problem.ts'
import type { ProtocolRequest } from '../http/protocol.ts'
import { reportProblem } from '../http/report.ts'
import { OAuthError } from '../oauth/oauth-error.ts'

/**
 * Converts and logs an error that a handler did not expect: `temporarily_unavailable` with `Retry-After` if the database
 * is (RFC 6749, section 4.1.2.1), or else `server_error`. Throws problems that are none of the protocol, such as a rate
 * limit.
 */
export function toOAuthError(error: unknown, { path, visit }: ProtocolRequest, http: HttpContext): OAuthError {
  if (error instanceof OAuthError) return error
  if (error instanceof Problem && error.status < 500) throw error
  const { status, message, headers } = reportProblem(error, path, visit, http)
  return new OAuthError(status === 503 ? 'temporarily_unavailable' : 'server_error', message, { headers })
}
