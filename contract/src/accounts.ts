import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import { Instant } from './instant.ts'
import { CursorQuery, cursorPage } from './page.ts'

/** A program as its User-Agent tells of it: `{ browser: 'Firefox 131', os: 'Linux', device: 'desktop' }`. */
export const UserAgent = z.object({ browser: z.string(), os: z.string(), device: z.string() })
export type UserAgent = z.infer<typeof UserAgent>

/** A way into an account: one person at one identity provider. */
export const Login = z.object({
  id: z.string(),
  provider: z.object({ id: z.string(), name: z.string() }),
  /** Who they are there: the `sub` of that issuer. */
  externalId: z.string(),
  label: z.string(),
  linkedAt: Instant,
  lastUsedAt: z.nullable(Instant),
})

/** A way into the account of whoever asks; `current` is the one by which their session came in. */
export const LinkedLogin = z.extend(Login, { current: z.boolean() }).check(z.meta({ id: 'LinkedLogin' }))
export type LinkedLogin = z.infer<typeof LinkedLogin>

/** One signed-in browser. */
export const SignedInBrowser = z.object({
  id: z.string(),
  idp: z.string(),
  ip: z.string(),
  userAgent: UserAgent,
  createdAt: Instant,
  /** To the minute. */
  lastSeenAt: Instant,
  expiresAt: Instant,
})

/** One signed-in browser of whoever asks; `current` is the one that they ask from. */
export const Session = z.extend(SignedInBrowser, { current: z.boolean() }).check(z.meta({ id: 'Session' }))
export type Session = z.infer<typeof Session>

/** What the person allowed an application. */
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

/** Something that happened to the account; `action` is one of the names of the audit trail, such as `signin.failed`. */
export const Activity = z
  .object({
    id: z.string(),
    at: Instant,
    action: z.string(),
    idp: z.nullable(z.string()),
    /** Why, where it failed. */
    reason: z.nullable(z.string()),
    ip: z.string(),
    userAgent: UserAgent,
    traceId: z.string(),
  })
  .check(z.meta({ id: 'Activity' }))
export type Activity = z.infer<typeof Activity>

export const listLogins = endpoint('GET', '/passport/account/logins', {
  summary: 'List the ways into the account',
  access: 'signedIn',
  returns: json(z.array(LinkedLogin)),
})
/** Starts at the identity provider; the answer links only into the session that asked, at most 5 minutes old. */
export const linkLogin = endpoint('POST', '/passport/account/logins/link', {
  summary: 'Start to link another way into the account',
  access: 'signedIn',
  rateLimit: { requests: 10, perSeconds: 60, by: 'caller' },
  body: json(z.object({ idp: z.string() })),
  returns: json(z.object({ authorizationUrl: z.url(), expiresAt: Instant })),
  fails: [404, 502],
})
export const unlinkLogin = endpoint('DELETE', '/passport/account/logins/{id}', {
  summary: 'Unlink a way into the account; the last one stays',
  access: 'signedIn',
  params: z.object({ id: z.string() }),
  fails: [404, 409],
})

export const listConsents = endpoint('GET', '/passport/account/consents', {
  summary: 'List what applications were allowed',
  access: 'signedIn',
  returns: json(z.array(Consent)),
})
export const revokeConsent = endpoint('DELETE', '/passport/account/consents/{id}', {
  summary: 'Take back what an application was allowed, and end its tokens',
  access: 'signedIn',
  params: z.object({ id: z.string() }),
  fails: [404],
})

export const listSessions = endpoint('GET', '/passport/account/sessions', {
  summary: 'List the browsers that are signed in',
  access: 'signedIn',
  returns: json(z.array(Session)),
})
export const revokeSession = endpoint('DELETE', '/passport/account/sessions/{id}', {
  summary: 'Sign one browser out',
  access: 'signedIn',
  params: z.object({ id: z.string() }),
  fails: [404],
})
export const revokeOtherSessions = endpoint('POST', '/passport/account/sessions/revokeothers', {
  summary: 'Sign every other browser out',
  access: 'signedIn',
  returns: json(z.object({ revoked: z.int() })),
})

/** `endSessionUrl` is where to go to sign out of the identity provider too, null where it has no such place. */
export const signOut = endpoint('POST', '/passport/account/signout', {
  summary: 'Sign out here, or everywhere',
  access: 'signedIn',
  body: json(z.object({ everywhere: z.optional(z.boolean()) })),
  returns: json(z.object({ endSessionUrl: z.nullable(z.url()) })),
})

export const listActivity = endpoint('GET', '/passport/account/activity', {
  summary: 'List what happened to the account, newest first',
  access: 'signedIn',
  query: CursorQuery,
  returns: json(cursorPage(Activity)),
})
