import type { Access, ClientScope } from '@passport/contract/endpoint'
import type { Presented } from './presented-token.ts'
import { Problem } from './problem.ts'

/** Who a request comes from, whoever vouches for them. */
export interface Caller {
  id: string
  /** Read from the database for this request, also for the bearer of a token. */
  roles: ReadonlySet<string>
  orgs: { id: string; name: string; role: string }[]
  idp: string
  /** When they last proved who they are, ISO 8601; 1970 where whoever vouches for them does not tell. */
  authTime: string
  name: string | null
  username: string | null
  email: string | null
  /** The browser's session; a caller with a bearer token has none. */
  session?: {
    id: string
    loginId: string
    lastSeenAt: string
    tokenHash: string
    /** How they proved who they are (RFC 8176). */
    amr: string[]
    /** The authorization request for which they signed in, if it was one. */
    interaction: string | null
  }
}

/** An application that calls for itself, with no person. */
export interface ClientCaller {
  clientId: string
  name: string
  scopes: ReadonlySet<ClientScope>
}

/** Whoever makes a change: somebody who calls, or nobody where a command makes it. */
export interface Doer extends Pick<Caller, 'roles' | 'orgs' | 'session'> {
  id: string | null
}

/** How `serve` finds out who calls. */
export interface Identify {
  /** The holder of a session cookie, unless the session has ended. */
  bySession: (token: string) => Promise<Caller | undefined>
  /** Whom an access token speaks for, a person or an application itself, unless it or they are no longer good. */
  byToken: (presented: Presented) => Promise<Caller | ClientCaller | undefined>
  /** Notes that the person is there: a session ends 12 hours after the last time. */
  seen: (caller: Caller) => Promise<void>
}

const roleFor = { admin: 'Passport.Admin', developer: 'Passport.Developer' } as const

/** Lets a caller pass or throws 401 or 403. Roles go by their exact names; no role implies another. */
export function admit(caller: Caller | undefined, access: Access): void {
  if (access === 'anyone') return
  if (!caller) throw new Problem(401, 'not-signed-in', 'Sign in first.')
  if (access !== 'signedIn' && !caller.roles.has(roleFor[access])) {
    throw new Problem(403, 'role-missing', `Needs the role ${roleFor[access]}.`)
  }
}
