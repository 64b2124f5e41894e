import { type Endpoint, type Recency, recentMinutes } from '@passport/contract/endpoint'
import type { Actor, Caller } from './caller.ts'
import type { HttpContext } from './http-context.ts'
import { Problem } from './problem.ts'
import { providerCannotProve, reauthenticationRequired, sessionRequired } from './problems.ts'

/** Thrown by a change that gives a role, if the caller authenticated too long ago for it; nothing must be written then. */
export class RecentAuthenticationRequired extends Problem {
  constructor() {
    const { status, code, message, ...options } = reauthenticationRequired(formatAge(recentMinutes))
    super(status, code, message, options)
  }
}

/** Reports whether the caller may give roles in this call. Only a session can be too old: nobody is present otherwise. */
export const isRecentlyAuthenticated = ({ session, authTime = '' }: Pick<Actor, 'session' | 'authTime'>): boolean =>
  session === undefined || isWithin(authTime, recentMinutes)

/** Throws `RecentAuthenticationRequired` unless the caller authenticated recently. */
export function requireRecentAuthentication(caller: Pick<Actor, 'session' | 'authTime'>): void {
  if (!isRecentlyAuthenticated(caller)) throw new RecentAuthenticationRequired()
}

const isWithin = (authTime: string, minutes: number) => Date.now() - Date.parse(authTime) <= minutes * 60_000

/** Throws 401 unless the caller authenticated recently enough for a request with this body, and 403 for a client. */
type RequireRecent = (caller: Caller | undefined, body: unknown) => void

/**
 * Creates the checks of an endpoint for the age of an authentication: `atOnce` runs before the request is read,
 * `withBody` if the requirement depends on the body. `toProblem` explains a `RecentAuthenticationRequired`.
 */
export function createRecencyChecks(
  { recent }: Endpoint,
  http: HttpContext,
): { atOnce?: RequireRecent; withBody?: RequireRecent; toProblem: (caller: Caller | undefined) => Problem } {
  const { withinMinutes = recentMinutes, ifRoles, ifGivesRoles }: Recency = recent === true ? {} : (recent ?? {})
  const toProblem = (caller: Caller | undefined) =>
    // 1970 stands for a provider that does not report the time of an authentication.
    caller && Date.parse(caller.authTime) === 0 && !http.provesByPrompt(caller.idp)
      ? providerCannotProve(caller.idp)
      : reauthenticationRequired(formatAge(withinMinutes))
  const require: RequireRecent = (caller) => {
    if (caller?.client) throw sessionRequired()
    if (!caller?.session || isWithin(caller.authTime, withinMinutes)) return
    throw toProblem(caller)
  }
  if (ifRoles) return { withBody: (caller, body) => namesRoles(body) && require(caller, body), toProblem }
  return recent && !ifGivesRoles ? { atOnce: require, toProblem } : { toProblem }
}

function namesRoles(body: unknown): boolean {
  const { role, roles } = body as { role?: string; roles?: string[] }
  return role !== undefined || (roles !== undefined && roles.length > 0)
}

const formatAge = (minutes: number) => (minutes % 60 === 0 ? `${minutes / 60} hours` : `${minutes} minutes`)
