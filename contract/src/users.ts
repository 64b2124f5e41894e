import * as z from 'zod/mini'
import { Login, SignedInBrowser } from './accounts.ts'
import { Email } from './email.ts'
import { endpoint, json } from './endpoint.ts'
import { Instant } from './instant.ts'
import { PageQuery, page } from './page.ts'
import { RoleChangeQuery } from './role-effect.ts'
import { Line } from './text-fields.ts'
import { Username } from './username.ts'

/** `invited` has never had a way into the account yet; a disabled person is `disabled` whatever else they are. */
export const UserStatus = z.enum(['active', 'invited', 'disabled'])
export type UserStatus = z.infer<typeof UserStatus>

const OrgOfUser = z.object({ id: z.string(), name: z.string(), role: z.enum(['owner', 'admin', 'member']) })

/** A person as lists show them. */
export const UserSummary = z
  .object({
    id: z.string(),
    username: z.nullable(z.string()),
    displayname: z.nullable(z.string()),
    email: z.nullable(z.string()),
    emailVerified: z.boolean(),
    disabled: z.boolean(),
    status: UserStatus,
    /** Those that the person has of themselves. */
    roles: z.array(z.string()),
    /** All that the person has, also by their groups. */
    effectiveRoles: z.array(z.string()),
    orgs: z.array(OrgOfUser),
    createdAt: Instant,
    updatedAt: Instant,
    lastSignInAt: z.nullable(Instant),
    version: z.int(),
  })
  .check(z.meta({ id: 'UserSummary' }))
export type UserSummary = z.infer<typeof UserSummary>

/** A person with the ways into their account. */
export const User = z.extend(UserSummary, { logins: z.array(Login) }).check(z.meta({ id: 'User' }))
export type User = z.infer<typeof User>

const maxNameGraphemes = 64
/** Checked in full where it is new; what an identity provider once told may stay as it is. */
export const DisplayName = Line(maxNameGraphemes, 'displayname-invalid')
const RoleName = z.string().check(z.minLength(1), z.maxLength(200))
export const RoleNames = z.array(RoleName).check(z.maxLength(100))

/** Which people a list, a bulk change or an export is of. */
export const UserFilter = z.object({
  /** Finds an id, `sub`, e-mail, username or linked external id in full, and the words of names by their beginning. */
  query: z.optional(z.string().check(z.maxLength(200))),
  role: z.optional(RoleName),
  /** The id of an organisation. */
  org: z.optional(z.string()),
  status: z.optional(UserStatus),
  /** The id of an identity provider that the person has a login at. */
  provider: z.optional(z.string()),
  /** `never`, or a number of days: who has not signed in for so long. */
  lastSeen: z.optional(
    z.string().check(z.regex(/^(never|[1-9]\d{0,3})$/, 'Must be "never" or a number of days from 1 to 9999.')),
  ),
})
export type UserFilter = z.infer<typeof UserFilter>

export const UserSort = z.object({
  sort: z._default(z.enum(['name', 'created', 'lastSignIn']), 'name'),
  direction: z._default(z.enum(['asc', 'desc']), 'asc'),
})
export type UserSort = z.infer<typeof UserSort>

/** `isExact` is set where the query is the person's id, e-mail, username or external id; those come first. */
const FoundUser = z.extend(UserSummary, { isExact: z.optional(z.literal(true)) })

export const listUsers = endpoint('GET', '/passport/admin/users', {
  summary: 'List and search people',
  access: 'admin',
  query: z.extend(PageQuery, { ...UserFilter.shape, ...UserSort.shape }),
  returns: json(page(FoundUser)),
})

export const NewUser = z.object({
  email: z.optional(z.nullable(Email)),
  emailVerified: z._default(z.boolean(), false),
  displayname: DisplayName,
  username: z.optional(z.nullable(Username)),
  roles: z._default(RoleNames, []),
})
export type NewUser = z.infer<typeof NewUser>

/** 409 `email-taken`, `username-taken`. */
export const createUser = endpoint('POST', '/passport/admin/users', {
  summary: 'Add a person; they can come in once a login is linked or an invitation accepted',
  access: 'admin',
  query: RoleChangeQuery,
  body: json(NewUser),
  returns: json(User),
  creates: true,
  previews: true,
  fails: [409],
})

const one = z.object({ userId: z.string() })

export const getUser = endpoint('GET', '/passport/admin/users/{userId}', {
  summary: 'Get a person',
  access: 'admin',
  params: one,
  returns: json(User),
  conditional: true,
  fails: [404],
})

/** What is left out stays as it is. A changed e-mail is unverified unless `emailVerified` says otherwise. */
export const UserChange = z.object({
  displayname: z.optional(z.nullable(z.string())),
  username: z.optional(z.nullable(z.string())),
  email: z.optional(z.nullable(z.string())),
  emailVerified: z.optional(z.boolean()),
})
export type UserChange = z.infer<typeof UserChange>

export const updateUser = endpoint('PUT', '/passport/admin/users/{userId}', {
  summary: 'Change what is known of a person',
  access: 'admin',
  params: one,
  body: json(UserChange),
  returns: json(User),
  conditional: true,
  fails: [404, 409],
})
export const deleteUser = endpoint('DELETE', '/passport/admin/users/{userId}', {
  summary: 'Delete a person; for 30 days they can be restored with all that was theirs',
  access: 'admin',
  params: one,
  query: RoleChangeQuery,
  conditional: true,
  previews: true,
  fails: [404, 409],
})
/** 409 `username-taken`, `email-taken`: send another one. 410 `restore-expired` after 30 days. */
export const restoreUser = endpoint('POST', '/passport/admin/users/{userId}/restore', {
  summary: 'Bring a deleted person back, with their roles, groups and organisations',
  access: 'admin',
  params: one,
  query: RoleChangeQuery,
  body: json(z.strictObject({ username: z.optional(z.nullable(Username)), email: z.optional(z.nullable(Email)) }), {
    isOptional: true,
  }),
  returns: json(User),
  previews: true,
  fails: [404, 409, 410],
})
export const setUserRoles = endpoint('PUT', '/passport/admin/users/{userId}/roles', {
  summary: 'Set the roles that a person has of themselves',
  access: 'admin',
  params: one,
  query: RoleChangeQuery,
  body: json(z.strictObject({ roles: RoleNames })),
  returns: json(User),
  conditional: true,
  previews: true,
  fails: [404, 409],
})

const state = { access: 'admin', params: one, query: RoleChangeQuery, returns: json(User), fails: [404, 409] } as const

export const disableUser = endpoint('POST', '/passport/admin/users/{userId}/actions/disable', {
  summary: 'Let a person in no more, and end all by which they are signed in',
  ...state,
  previews: true,
})
export const enableUser = endpoint('POST', '/passport/admin/users/{userId}/actions/enable', {
  summary: 'Let a disabled person in again',
  ...state,
  previews: true,
})
export const lockDownUser = endpoint('POST', '/passport/admin/users/{userId}/actions/lockdown', {
  summary: 'Disable a person, end all by which they are signed in, and take back what they allowed applications',
  ...state,
  previews: true,
})
export const signOutUser = endpoint('POST', '/passport/admin/users/{userId}/actions/signout', {
  summary: 'End all by which a person is signed in: sessions, grants, codes, tokens, devices',
  access: 'admin',
  params: one,
  returns: json(z.object({ sessions: z.int() })),
  fails: [404],
})
/** The password is told this once. 409 `nothing-to-reset` for people of other identity providers. */
export const resetUser = endpoint('POST', '/passport/admin/users/{userId}/actions/reset', {
  summary: 'Give a person of the built-in directory a new password, and sign them out everywhere',
  access: 'admin',
  params: one,
  returns: json(z.object({ name: z.string(), password: z.string() })),
  fails: [404, 409],
})

export const listUserLogins = endpoint('GET', '/passport/admin/users/{userId}/logins', {
  summary: "List the ways into a person's account",
  access: 'admin',
  params: one,
  returns: json(z.array(Login)),
  fails: [404],
})
export const unlinkUserLogin = endpoint('DELETE', '/passport/admin/users/{userId}/logins/{loginId}', {
  summary: "Unlink a way into a person's account, and end the sessions that came in by it",
  access: 'admin',
  params: z.extend(one, { loginId: z.string() }),
  fails: [404, 409],
})

export const listUserSessions = endpoint('GET', '/passport/admin/users/{userId}/sessions', {
  summary: 'List the browsers in which a person is signed in',
  access: 'admin',
  params: one,
  returns: json(z.array(SignedInBrowser)),
  fails: [404],
})
export const revokeUserSession = endpoint('DELETE', '/passport/admin/users/{userId}/sessions/{sessionId}', {
  summary: 'Sign a person out of one browser',
  access: 'admin',
  params: z.extend(one, { sessionId: z.string() }),
  fails: [404],
})

const Named = z.object({ id: z.string(), name: z.string() })

/** What gives someone a role: an administrator, at some time, or being in a group. */
const RoleSource = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('direct'), since: Instant, by: z.nullable(Named) }),
  z.object({ kind: z.literal('group'), since: Instant, group: Named }),
])

/** What a person may do and belongs to, with what gives it to them and since when. */
export const UserAccess = z
  .object({
    roles: z.array(z.object({ name: z.string(), sources: z.array(RoleSource) })),
    groups: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        memberSince: z.nullable(Instant),
        ownerSince: z.nullable(Instant),
        roles: z.array(z.string()),
      }),
    ),
    orgs: z.array(z.extend(OrgOfUser, { since: Instant })),
  })
  .check(z.meta({ id: 'UserAccess' }))
export type UserAccess = z.infer<typeof UserAccess>

export const getUserAccess = endpoint('GET', '/passport/admin/users/{userId}/access', {
  summary: 'Tell what a person may do and belongs to, and why',
  access: 'admin',
  params: one,
  returns: json(UserAccess),
  fails: [404],
})
/** Who gave them a role is not for them to know: `by` is null. */
export const getOwnAccess = endpoint('GET', '/passport/account/access', {
  summary: 'Tell what whoever asks may do and belongs to, and why',
  access: 'signedIn',
  returns: json(UserAccess),
})
export * from './own-permissions.ts'
