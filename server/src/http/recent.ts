import { type Endpoint, type Recency, recentMinutes } from '@passport/contract/endpoint'
import type { Caller } from './caller.ts'
import type { HttpContext } from './http-context.ts'
import { providerCannotProve, reauthenticationRequired, sessionRequired } from './problems.ts'

/** Throws 401 unless the caller authenticated recently enough for a request with this body, and 403 for a client. */
type RequireRecent = (caller: Caller | undefined, body: unknown) => void

/**
 * Creates the checks of an endpoint for the age of an authentication: `atOnce` runs before the request is read,
 * `withBody` if the requirement depends on the body.
 */
export function createRecencyChecks(
  { recent }: Endpoint,
  http: HttpContext,
): { atOnce?: RequireRecent; withBody?: RequireRecent } {
  if (!recent) return {}
  const { withinMinutes = recentMinutes, ifRoles }: Recency = recent === true ? {} : recent
  const require: RequireRecent = (caller) => {
    if (caller?.client) throw sessionRequired()
    if (!caller?.session) return
    const authenticatedAt = Date.parse(caller.authTime)
    if (Date.now() - authenticatedAt <= withinMinutes * 60_000) return
    // 1970 stands for a provider that does not report the time of an authentication.
    if (authenticatedAt === 0 && !http.provesByPrompt(caller.idp)) throw providerCannotProve(caller.idp)
    throw reauthenticationRequired(formatAge(withinMinutes))
  }
  if (!ifRoles) return { atOnce: require }
  return { withBody: (caller, body) => namesRoles(body) && require(caller, body) }
}

function namesRoles(body: unknown): boolean {
  const { role, roles } = body as { role?: string; roles?: string[] }
  return role !== undefined || (roles !== undefined && roles.length > 0)
}

const formatAge = (minutes: number) => (minutes % 60 === 0 ? `${minutes / 60} hours` : `${minutes} minutes`)
