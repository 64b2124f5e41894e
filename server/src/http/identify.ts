import type { IncomingMessage } from 'node:http'
import type { Endpoint } from '@passport/contract/endpoint'
import { admit, type Caller, type ClientCaller } from './caller.ts'
import type { Cookies } from './cookies.ts'
import type { Door } from './door.ts'
import { presentedToken } from './presented-token.ts'
import { Problem } from './problem.ts'

/** Whom an endpoint lets in, and by what. */
export type Entrance = Pick<Endpoint, 'access' | 'bearer' | 'scope'>

export const isClient = (caller: Caller | ClientCaller | undefined): caller is ClientCaller =>
  caller !== undefined && 'clientId' in caller

/**
 * Who calls, where the entrance lets them in; nobody only where anyone may call. Throws 401 and 403. With `wasProven` it
 * asks again about a request that it let in before, and whose answer goes on.
 */
export async function admitted(
  entrance: Entrance,
  door: Door,
  cookies: Cookies,
  incoming: IncomingMessage,
  again: { wasProven?: true } = {},
): Promise<Caller | ClientCaller | undefined> {
  const caller = await identify(entrance, door, cookies, incoming, again)
  if (isClient(caller)) admitClient(caller, entrance)
  else if (!caller && isForTokens(entrance)) throw tokenWanted()
  else admit(caller, entrance.access)
  return caller
}

const isForTokens = ({ access, bearer, scope }: Entrance) => access !== 'anyone' && (bearer || scope !== undefined)

/** Nobody has come, where a token would do as well as a session (RFC 9110, section 15.5.2). */
const tokenWanted = () =>
  new Problem(401, 'not-signed-in', 'Sign in first, or send an access token as `Authorization: Bearer`.', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  })

/** A bearer token goes before the cookie, because whoever sends one means it. */
async function identify(
  { access, bearer, scope }: Entrance,
  door: Door,
  cookies: Cookies,
  incoming: IncomingMessage,
  again: { wasProven?: true },
) {
  if (access === 'anyone') return undefined
  const { headers, method = '', url = '' } = incoming
  const presented = presentedToken(headers, method, door.publicUrl + url)
  if (presented) {
    if (!bearer && !scope) throw bearerNotAccepted()
    const caller = await door.identify.byToken({ ...presented, ...again })
    if (caller && !isClient(caller) && !bearer) throw bearerNotAccepted()
    if (caller) return caller
    throw new Problem(401, 'token-invalid', 'The token is not, or no longer, good for this API.', {
      headers: challengeOf(presented.scheme, 'error="invalid_token"'),
    })
  }
  const session = cookies.get(door.sessionCookie)
  return session === undefined ? undefined : door.identify.bySession(session)
}

const bearerNotAccepted = () => new Problem(403, 'bearer-not-accepted', 'This call takes a session, not a token.')

/** An application comes in where a scope says so and nowhere else. Throws 403. */
function admitClient({ scopes }: ClientCaller, { scope }: Entrance): void {
  if (!scope) throw new Problem(403, 'client-not-accepted', 'This call is for people.')
  if (scopes.has(scope)) return
  throw new Problem(403, 'scope-missing', `Needs a token with the scope ${scope}.`, {
    headers: challengeOf('bearer', `error="insufficient_scope", scope="${scope}"`),
  })
}

/** RFC 6750, section 3. */
const challengeOf = (scheme: 'bearer' | 'dpop', parameters: string) => ({
  'WWW-Authenticate': `${scheme === 'dpop' ? 'DPoP' : 'Bearer'} ${parameters}`,
})
