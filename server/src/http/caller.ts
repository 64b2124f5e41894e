import type { Access, ClientScope } from '@passport/contract/endpoint'
import type { PresentedToken } from './presented-token.ts'
import { notSignedIn, roleMissing } from './problems.ts'
import type { Visit } from './visit.ts'

/** The user who sent a request, with a session or an access token. */
export interface Caller {
  id: string
  /** The current roles, read from the database for this request, even for a bearer token. */
  roles: ReadonlySet<string>
  orgs: { id: string; name: string; role: string }[]
  idp: string
  /** The name of the identity provider if it is not in the configuration. */
  idpName?: string | null
  /** The time of the last authentication, ISO 8601; 1970 if the identity provider does not report it. */
  authTime: string
  name: string | null
  username: string | null
  email: string | null
  /** The hash of the file of the user's picture. */
  pictureHash: string | null
  /** The browser's session; a caller with a bearer token has none. */
  session?: {
    id: string
    loginId: string
    /** The browser among those in which the user has signed in, if it is known. */
    browserId: string | null
    lastSeenAt: string
    tokenHash: string
    /** The authentication methods (RFC 8176). */
    amr: string[]
    /** The authentication context class, if the identity provider stated one (OpenID Connect Core, section 2). */
    acr: string | null
    /** The authorization request that started the sign-in, if any. */
    interaction: string | null
  }
  /** The personal token of the request, if that is how the user authenticated. */
  personalToken?: { id: string; lastUsedAt: string | null }
  /** The user is absent: the call continues work that they began in a session, with their current roles. */
  isAbsent?: true
  /** The application that calls as an administrator. There is no user: `id` is that of the application in the audit log. */
  client?: ClientCaller
}

/** An application that calls on its own behalf. */
export interface ClientCaller {
  clientId: string
  name: string
  scopes: ReadonlySet<ClientScope>
}

const roleFor = { admin: 'Passport.Admin', developer: 'Passport.Developer' } as const

/** The user on whose behalf a change happens; `id` is null for a command on the server's machine. */
export interface Actor extends Pick<Caller, 'roles' | 'orgs' | 'session' | 'isAbsent' | 'client'> {
  id: string | null
  /** The time of the last authentication of a session, ISO 8601. */
  authTime?: string
  /** The set-up link of whose browser the request is, without a user. */
  setupLinkId?: string
  /** Decides which roles an actor that is no person may give: a mapping, an import or a SCIM client. */
  mayGive?: (role: string) => boolean
}

/**
 * The browser that opened a set-up link, which acts for one organisation. There is no user: `id` is that of the link in
 * the audit log, with a prefix.
 */
export interface SetupCaller extends Actor {
  id: string
  setupLinkId: string
  orgId: string
  /** When the access of the browser ends. */
  expiresAt: string
}

/** Returns the caller that a set-up link is. */
export const toSetupCaller = (link: { id: string; orgId: string; expiresAt: string }): SetupCaller => ({
  id: `setup:${link.id}`,
  setupLinkId: link.id,
  orgId: link.orgId,
  expiresAt: link.expiresAt,
  roles: new Set(),
  orgs: [],
})

/**
 * Reports whether the caller is an administrator in this call. A user's token never is, regardless of its user's roles:
 * a leaked token must not give access to the console.
 */
export const isAdministrator = ({ id, roles, session, isAbsent, client }: Omit<Actor, 'orgs'>): boolean =>
  roles.has(roleFor.admin) && (id === null || session !== undefined || isAbsent === true || client !== undefined)

/**
 * Reports whether the caller may give a user this role: administrators may give any, but an application acting as one
 * may give none of Passport's own roles, so that its secret never leads to an administrator's session.
 */
export const canGive = (caller: Omit<Actor, 'orgs'>, role: string): boolean =>
  caller.mayGive ? caller.mayGive(role) : isAdministrator(caller) && !(caller.client && isPassportRole(role))

/** Reports whether a role is one of Passport's own, which give access to the console. */
export const isPassportRole = (role: string): boolean => role.startsWith('Passport.')

/** Returns the id of an application as an actor, for the audit log. */
export const toActorId = ({ clientId }: Pick<ClientCaller, 'clientId'>): string => `client:${clientId}`

/** Returns the administrator that an application acts as. Its scope must have been checked. */
export const asAdministrator = (client: ClientCaller): Caller => ({
  id: toActorId(client),
  roles: new Set([roleFor.admin]),
  orgs: [],
  idp: 'passport',
  authTime: new Date(0).toISOString(),
  name: client.name,
  username: null,
  email: null,
  pictureHash: null,
  client,
})

/** Finds the callers of requests. */
export interface Identify {
  /** Returns the holder of a session cookie, unless the session has ended. */
  bySession: (token: string) => Promise<Caller | undefined>
  /** Returns the user or application of an access token, unless either is no longer valid. */
  byToken: (presented: PresentedToken) => Promise<Caller | ClientCaller | undefined>
  /** Returns the browser of a set-up link by its cookie. Throws 401 without a link, and 410 once its use has ended. */
  bySetupLink: (cookie: string | undefined) => Promise<SetupCaller>
  /** Records activity of the user: a session ends 12 hours after the last one, and a personal token shows its last use. */
  recordActivity: (caller: Caller, visit: Pick<Visit, 'ip'>) => Promise<void>
  /** Records the call of an application with a scope for administration. Throws 429 above the limit. */
  recordClientCall: (client: ClientCaller, call: { method: string; url: string }, visit: Visit) => Promise<void>
}

/** Throws 401 or 403 unless the caller has the access. Roles match by exact name; no role implies another. */
export function authorize(caller: Caller | undefined, access: Exclude<Access, 'setup'>): void {
  if (access === 'anyone') return
  if (!caller) throw notSignedIn()
  if (access === 'signedIn') return
  const isAllowed = access === 'admin' ? isAdministrator(caller) : caller.roles.has(roleFor[access])
  if (!isAllowed) throw roleMissing(roleFor[access])
}
