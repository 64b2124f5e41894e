import type { IncomingMessage } from 'node:http'
import { type Endpoint, includesAdminScope, listAdmittedScopes } from '@passport/contract/endpoint'
import { asAdministrator, authorize, type Caller, type ClientCaller, type SetupCaller } from './caller.ts'
import type { Cookies } from './cookies.ts'
import type { HttpContext } from './http-context.ts'
import { readPresentedToken } from './presented-token.ts'
import {
  bearerNotAccepted,
  clientNotAccepted,
  scopeMissing,
  sessionRequired,
  tokenInvalid,
  tokenRequired,
} from './problems.ts'
import type { Visit } from './visit.ts'

/** The access rules of an endpoint. */
export type AccessRules = Pick<Endpoint, 'access' | 'bearer' | 'scope' | 'adminScopes' | 'recent' | 'method'>

type AnyCaller = Caller | ClientCaller | SetupCaller | undefined

export const isClient = (caller: AnyCaller): caller is ClientCaller => caller !== undefined && 'clientId' in caller

export const isSetup = (caller: AnyCaller): caller is SetupCaller => caller !== undefined && 'setupLinkId' in caller

/**
 * Authenticates and authorizes the caller; returns undefined only for `anyone`. An application is an administrator at
 * endpoints for administrators, except at those with a `scope`. An endpoint of set-up links admits only the browser of
 * one, and reads neither session nor token. Throws 401 and 403, and 429 for an application.
 * `wasProven` rechecks a request that was authorized before, while its response is being sent.
 */
export async function authenticate(
  accessRules: AccessRules,
  http: HttpContext,
  cookies: Cookies,
  incoming: IncomingMessage,
  visit: Visit,
  recheck: { wasProven?: true } = {},
): Promise<AnyCaller> {
  if (accessRules.access === 'setup') return identifySetup(http, cookies, incoming)
  const caller = await identifyCaller(accessRules, http, cookies, incoming, recheck)
  if (isClient(caller)) {
    // Before the authorization: attempts to do more than the application may are of interest too.
    if (admitsAdministration(accessRules) && includesAdminScope(caller.scopes) && !recheck.wasProven) {
      const { method = '', url = '' } = incoming
      await http.identify.recordClientCall(caller, { method, url }, visit)
    }
    authorizeClient(caller, accessRules)
    return accessRules.scope ? caller : asAdministrator(caller)
  }
  if (!caller && acceptsTokens(accessRules)) throw tokenRequired()
  authorize(caller, accessRules.access)
  return caller
}

/** The cookie of the browser that opened a set-up link. Browsers send it only below `path`. */
export const setupCookie = { name: 'passport-setup', path: '/passport/setup' } as const

function identifySetup(http: HttpContext, cookies: Cookies, incoming: IncomingMessage): Promise<SetupCaller> {
  const { headers, method = '', url = '' } = incoming
  if (readPresentedToken(headers, method, http.publicUrl + url)) throw bearerNotAccepted()
  return http.identify.bySetupLink(cookies.get(setupCookie.name))
}

/** Reports whether an application may call the endpoint as an administrator. */
const admitsAdministration = ({ access, adminScopes }: AccessRules) => access === 'admin' || adminScopes === true

const acceptsTokens = (accessRules: AccessRules) =>
  accessRules.access !== 'anyone' && (accessRules.bearer || listAdmittedScopes(accessRules).length > 0)

/**
 * Returns the caller by their access token or session cookie; the token takes precedence, since it is sent on purpose.
 */
async function identifyCaller(
  accessRules: AccessRules,
  http: HttpContext,
  cookies: Cookies,
  incoming: IncomingMessage,
  recheck: { wasProven?: true },
) {
  const { access, bearer, scope, recent } = accessRules
  if (access === 'anyone') return undefined
  const { headers, method = '', url = '' } = incoming
  const presented = readPresentedToken(headers, method, http.publicUrl + url)
  if (presented) {
    const acceptsClients = admitsAdministration(accessRules) || scope !== undefined
    if (!bearer && !acceptsClients && !recent) throw bearerNotAccepted()
    const caller = await http.identify.byToken({ ...presented, ...recheck })
    if (isClient(caller)) return caller
    if (!bearer && (caller || !acceptsClients)) throw bearerNotAccepted()
    if (caller) return caller
    throw tokenInvalid(formatChallenge(presented.scheme, 'error="invalid_token"'))
  }
  const session = cookies.get(http.sessionCookie)
  return session === undefined ? undefined : http.identify.bySession(session)
}

/** Throws 403 unless the client has one of the scopes that the endpoint admits. */
function authorizeClient({ scopes }: ClientCaller, accessRules: AccessRules): void {
  const admitted = listAdmittedScopes(accessRules)
  if (admitted.some((scope) => scopes.has(scope))) return
  const [scope] = admitted
  if (!scope) throw accessRules.recent && !accessRules.bearer ? sessionRequired() : clientNotAccepted()
  throw scopeNotGranted(scope)
}

/** Creates the 403 for a valid bearer token without the scope (RFC 6750, section 3.1). */
export const scopeNotGranted = (scope: string) =>
  scopeMissing(scope, formatChallenge('bearer', `error="insufficient_scope", scope="${scope}"`))

/** Formats a challenge (RFC 6750, section 3). */
const formatChallenge = (scheme: 'bearer' | 'dpop', parameters: string) => ({
  'WWW-Authenticate': `${scheme === 'dpop' ? 'DPoP' : 'Bearer'} ${parameters}`,
})
