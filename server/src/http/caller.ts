import type { Access, ClientScope } from '@passport/contract/endpoint'
import type { PresentedToken } from './presented-token.ts'
import { notSignedIn, roleMissing } from './problems.ts'

/** The user who sent a request, with a session or an access token. */
export interface Caller {
  id: string
  /** The current roles, read from the database for this request, even for a bearer token. */
  roles: ReadonlySet<string>
  orgs: { id: string; name: string; role: string }[]
  idp: string
  /** The time of the last authentication, ISO 8601; 1970 if the identity provider does not report it. */
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
    /** The authentication methods (RFC 8176). */
    amr: string[]
    /** The authorization request that started the sign-in, if any. */
    interaction: string | null
  }
  /** The user is absent: the call continues work that they began in a session, with their current roles. */
  isAbsent?: true
}

/** An application that calls on its own behalf. */
export interface ClientCaller {
  clientId: string
  name: string
  scopes: ReadonlySet<ClientScope>
}

const roleFor = { admin: 'Passport.Admin', developer: 'Passport.Developer' } as const

/** The user on whose behalf a change happens; `id` is null for a command on the server's machine. */
export interface Actor extends Pick<Caller, 'roles' | 'orgs' | 'session' | 'isAbsent'> {
  id: string | null
}

/**
 * Reports whether the caller is an administrator in this call. A bearer token never is, regardless of its user's roles:
 * a leaked token must not give access to the console.
 */
export const isAdministrator = ({ id, roles, session, isAbsent }: Omit<Actor, 'orgs'>): boolean =>
  roles.has(roleFor.admin) && (id === null || session !== undefined || isAbsent === true)

/** Finds the callers of requests. */
export interface Identify {
  /** Returns the holder of a session cookie, unless the session has ended. */
  bySession: (token: string) => Promise<Caller | undefined>
  /** Returns the user or application of an access token, unless either is no longer valid. */
  byToken: (presented: PresentedToken) => Promise<Caller | ClientCaller | undefined>
  /** Records activity of the user: a session ends 12 hours after the last one. */
  recordActivity: (caller: Caller) => Promise<void>
}

/** Throws 401 or 403 unless the caller has the access. Roles match by exact name; no role implies another. */
export function authorize(caller: Caller | undefined, access: Access): void {
  if (access === 'anyone') return
  if (!caller) throw notSignedIn()
  if (access === 'signedIn') return
  const isAllowed = access === 'admin' ? isAdministrator(caller) : caller.roles.has(roleFor[access])
  if (!isAllowed) throw roleMissing(roleFor[access])
}
