import type { IncomingMessage } from 'node:http'
import type { Endpoint } from '@passport/contract/endpoint'
import { authorize, type Caller, type ClientCaller } from './caller.ts'
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

/** The access rules of an endpoint. */
export type AccessRules = Pick<Endpoint, 'access' | 'bearer' | 'scope' | 'recent'>

export const isClient = (caller: Caller | ClientCaller | undefined): caller is ClientCaller =>
  caller !== undefined && 'clientId' in caller

/**
 * Authenticates and authorizes the caller; returns undefined only for `anyone`. Throws 401 and 403. `wasProven`
 * rechecks a request that was authorized before, while its response is being sent.
 */
export async function authenticate(
  accessRules: AccessRules,
  http: HttpContext,
  cookies: Cookies,
  incoming: IncomingMessage,
  recheck: { wasProven?: true } = {},
): Promise<Caller | ClientCaller | undefined> {
  const caller = await identifyCaller(accessRules, http, cookies, incoming, recheck)
  if (isClient(caller)) authorizeClient(caller, accessRules)
  else if (!caller && acceptsTokens(accessRules)) throw tokenRequired()
  else authorize(caller, accessRules.access)
  return caller
}

const acceptsTokens = ({ access, bearer, scope }: AccessRules) => access !== 'anyone' && (bearer || scope !== undefined)

/**
 * Returns the caller by their access token or session cookie; the token takes precedence, since it is sent on purpose.
 */
async function identifyCaller(
  { access, bearer, scope, recent }: AccessRules,
  http: HttpContext,
  cookies: Cookies,
  incoming: IncomingMessage,
  recheck: { wasProven?: true },
) {
  if (access === 'anyone') return undefined
  const { headers, method = '', url = '' } = incoming
  const presented = readPresentedToken(headers, method, http.publicUrl + url)
  if (presented) {
    if (!bearer && !scope && !recent) throw bearerNotAccepted()
    const caller = await http.identify.byToken({ ...presented, ...recheck })
    if (!bearer && !scope) throw isClient(caller) ? sessionRequired() : bearerNotAccepted()
    if (caller && !isClient(caller) && !bearer) throw bearerNotAccepted()
    if (caller) return caller
    throw tokenInvalid(formatChallenge(presented.scheme, 'error="invalid_token"'))
  }
  const session = cookies.get(http.sessionCookie)
  return session === undefined ? undefined : http.identify.bySession(session)
}

/** Throws 403 unless the endpoint declares a scope and the client has it. */
function authorizeClient({ scopes }: ClientCaller, { scope }: AccessRules): void {
  if (!scope) throw clientNotAccepted()
  if (scopes.has(scope)) return
  throw scopeMissing(scope, formatChallenge('bearer', `error="insufficient_scope", scope="${scope}"`))
}

/** Formats a challenge (RFC 6750, section 3). */
const formatChallenge = (scheme: 'bearer' | 'dpop', parameters: string) => ({
  'WWW-Authenticate': `${scheme === 'dpop' ? 'DPoP' : 'Bearer'} ${parameters}`,
})
