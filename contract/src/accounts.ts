import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import { Instant } from './instant.ts'
import { CursorQuery, cursorPage } from './page.ts'
import { action } from './request-body.ts'

/**
 * A client program, parsed from the `User-Agent` header: `{ browser: 'Firefox 131', os: 'Linux', device: 'desktop' }`.
 */
export const UserAgent = z.object({ browser: z.string(), os: z.string(), device: z.string() })
export type UserAgent = z.infer<typeof UserAgent>

/** A login of an account: one identity at one identity provider. */
export const Login = z.object({
  id: z.string(),
  provider: z.object({ id: z.string(), name: z.string() }),
  /** The `sub` claim of the user at the provider. */
  externalId: z.string(),
  label: z.string(),
  linkedAt: Instant,
  lastUsedAt: z.nullable(Instant),
})

/** A login of the caller's account; `current` marks the login that started this session. */
export const LinkedLogin = z.extend(Login, { current: z.boolean() }).check(z.meta({ id: 'LinkedLogin' }))
export type LinkedLogin = z.infer<typeof LinkedLogin>

/** A signed-in browser. */
export const SignedInBrowser = z.object({
  id: z.string(),
  idp: z.string(),
  idpName: z.string(),
  ip: z.string(),
  userAgent: UserAgent,
  createdAt: Instant,
  /** Accurate to a minute. */
  lastSeenAt: Instant,
  expiresAt: Instant,
})

/** The options and the result of revoking one session. */
export const revokeSessionOptions = {
  query: z.object({ withPersonalTokens: z.optional(z.stringbool()) }),
  description:
    'With `withPersonalTokens=true`, also the personal tokens that the user created in its browser. Returns how many of those stay valid.',
  returns: json(z.object({ personalTokensLeft: z.int() })),
} as const

/** A signed-in browser of the caller; `current` marks the browser that sent the request. */
export const Session = z.extend(SignedInBrowser, { current: z.boolean() }).check(z.meta({ id: 'Session' }))
export type Session = z.infer<typeof Session>

/** The scopes that a user granted to an application. */
export const Consent = z
  .object({
    id: z.string(),
    client: z.object({ id: z.string(), name: z.string() }),
    scopes: z.array(z.object({ name: z.string(), description: z.string() })),
    grantedAt: Instant,
    lastUsedAt: z.nullable(Instant),
  })
  .check(z.meta({ id: 'Consent' }))
export type Consent = z.infer<typeof Consent>

/** An event of the account; `action` is an action name of the audit log, such as `signin.failed`. */
export const Activity = z
  .object({
    id: z.string(),
    at: Instant,
    action: z.string(),
    idp: z.nullable(z.string()),
    idpName: z.nullable(z.string()),
    /** The reason of a failure; null for a success. */
    reason: z.nullable(z.string()),
    ip: z.string(),
    userAgent: UserAgent,
    traceId: z.string(),
  })
  .check(z.meta({ id: 'Activity' }))
export type Activity = z.infer<typeof Activity>

export const listLogins = endpoint('GET', '/passport/account/logins', {
  summary: 'List linked logins',
  access: 'signedIn',
  returns: json(z.array(LinkedLogin)),
})
/**
 * Those of the configuration, and the tenants that users sign in through: of the caller's organisations, and of the one
 * that has verified the domain of the caller's email address.
 */
export const listLoginProviders = endpoint('GET', '/passport/account/logins/providers', {
  summary: 'List identity providers for linking a login',
  access: 'signedIn',
  returns: json(z.array(z.object({ id: z.string(), name: z.string() }))),
})
/** Starts linking at the identity provider; the callback links only into the session that started it. */
export const linkLogin = endpoint('POST', '/passport/account/logins/link', {
  summary: 'Start linking a login',
  description: 'Returns the URL of the identity provider to open in the browser.',
  access: 'signedIn',
  recent: true,
  rateLimit: { requests: 10, perSeconds: 60, by: 'caller' },
  waitsForOthers: true,
  body: action(z.object({ idp: z.string() })),
  returns: json(z.object({ authorizationUrl: z.url(), expiresAt: Instant })),
  fails: [404, 502],
})
export const unlinkLogin = endpoint('DELETE', '/passport/account/logins/{id}', {
  summary: 'Unlink a login',
  description:
    'Also ends the sessions and tokens that were created in sessions of it. The last login of an account cannot be unlinked.',
  access: 'signedIn',
  recent: true,
  params: z.object({ id: z.string() }),
  fails: [404, 409],
})

/** Lets a browser check before a download, because it would not show an error of the download itself. */
export const checkRecentAuthentication = endpoint('GET', '/passport/account/recentauthentication', {
  summary: 'Check that the caller authenticated recently',
  access: 'signedIn',
  recent: true,
})

export const listConsents = endpoint('GET', '/passport/account/consents', {
  summary: 'List connected applications',
  access: 'signedIn',
  returns: json(z.array(Consent)),
})
export const revokeConsent = endpoint('DELETE', '/passport/account/consents/{id}', {
  summary: "Revoke an application's access and tokens",
  access: 'signedIn',
  params: z.object({ id: z.string() }),
  fails: [404],
})

export const listSessions = endpoint('GET', '/passport/account/sessions', {
  summary: 'List sessions',
  access: 'signedIn',
  returns: json(z.array(Session)),
})
export const revokeSession = endpoint('DELETE', '/passport/account/sessions/{id}', {
  summary: 'Revoke a session',
  access: 'signedIn',
  params: z.object({ id: z.string() }),
  fails: [404],
  ...revokeSessionOptions,
})
export const revokeOtherSessions = endpoint('POST', '/passport/account/sessions/revokeothers', {
  summary: 'Revoke all other sessions',
  access: 'signedIn',
  returns: json(z.object({ revoked: z.int() })),
})

/**
 * `endSessionUrl` signs the caller out of the identity provider too; null where the provider has none. `personalTokens`
 * applies only with `everywhere`. `endSessionTicket` is the field `ticket` of a form to `endSessionUrl`, where the
 * request to the identity provider would be too long for a URL.
 */
export const signOut = endpoint('POST', '/passport/account/signout', {
  summary: 'Sign out of this session or of all sessions',
  description: 'With `everywhere`, personal tokens stay valid unless `personalTokens` is true.',
  access: 'signedIn',
  body: action(z.object({ everywhere: z.optional(z.boolean()), personalTokens: z.optional(z.boolean()) })),
  returns: json(z.object({ endSessionUrl: z.nullable(z.url()), endSessionTicket: z.optional(z.string()) })),
})

export const listActivity = endpoint('GET', '/passport/account/activity', {
  summary: 'List account activity, newest first',
  access: 'signedIn',
  query: CursorQuery,
  returns: json(cursorPage(Activity)),
})
