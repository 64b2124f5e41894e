import * as z from 'zod/mini'
import { Login, revokeSessionOptions, SignedInBrowser } from './accounts.ts'
import { Email } from './email.ts'
import { endpoint, json } from './endpoint.ts'
import { Instant } from './instant.ts'
import { MappingSource } from './mapping-source.ts'
import { PageQuery, page } from './page.ts'
import { action, entity } from './request-body.ts'
import { RoleChangeQuery } from './role-effect.ts'
import { Line } from './text-fields.ts'
import { Username } from './username.ts'

/** An `invited` user has never had a login. A disabled user is `disabled` in any case. */
export const UserStatus = z.enum(['active', 'invited', 'disabled'])
export type UserStatus = z.infer<typeof UserStatus>

const UserOrg = z.object({ id: z.string(), name: z.string(), role: z.enum(['owner', 'admin', 'member']) })

/** A user in a list. */
export const UserSummary = z
  .object({
    id: z.string(),
    username: z.nullable(z.string()),
    displayname: z.nullable(z.string()),
    /** The absolute URL of the user's picture; null without one. */
    avatarPngUrl: z.nullable(z.string()),
    email: z.nullable(z.string()),
    emailVerified: z.boolean(),
    disabled: z.boolean(),
    status: UserStatus,
    /** Direct roles. */
    roles: z.array(z.string()),
    /** Direct roles and those of groups. */
    effectiveRoles: z.array(z.string()),
    orgs: z.array(UserOrg),
    createdAt: Instant,
    updatedAt: Instant,
    lastSignInAt: z.nullable(Instant),
    version: z.int(),
  })
  .check(z.meta({ id: 'UserSummary' }))
export type UserSummary = z.infer<typeof UserSummary>

/** A user with their logins. */
export const User = z.extend(UserSummary, { logins: z.array(Login) }).check(z.meta({ id: 'User' }))
export type User = z.infer<typeof User>

export const maxNameGraphemes = 64
/** The name of a new user. An existing name from an identity provider may break these rules while it is unchanged. */
export const DisplayName = Line(maxNameGraphemes, 'displayname-invalid')
const RoleName = z.string().check(z.minLength(1), z.maxLength(200))
export const RoleNames = z.array(RoleName).check(z.maxLength(100))

/** Selects users for a list, a bulk change or an export. */
export const UserFilter = z.object({
  /** A whole id, `sub`, username or connected account (`metahorizon:…`), or word prefixes of names and email addresses, such as `ana @lab.example`. */
  query: z.optional(z.string().check(z.maxLength(200))),
  role: z.optional(RoleName),
  /** The id of an organisation. */
  org: z.optional(z.string()),
  status: z.optional(UserStatus),
  /** The id of an identity provider at which the user has a login. */
  provider: z.optional(z.string()),
  /** `never`, or the number of days without a sign-in. */
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

/** `isExact` marks users whose id, email, username or external id is the query; they come first. */
const FoundUser = z.extend(UserSummary, { isExact: z.optional(z.literal(true)) })

export const listUsers = endpoint('GET', '/passport/admin/users', {
  summary: 'List and search users',
  access: 'admin',
  query: z.extend(PageQuery, { ...UserFilter.shape, ...UserSort.shape }),
  returns: json(page(FoundUser)),
})

/** A new user, with no email or username and no roles by default. */
export const NewUser = z.object({
  email: z.optional(z.nullable(Email)),
  emailVerified: z._default(z.boolean(), false),
  displayname: DisplayName,
  username: z.optional(z.nullable(Username)),
  roles: z._default(RoleNames, []),
})
export type NewUser = z.infer<typeof NewUser>

/** Fails with 409 `email-taken` or `username-taken`. */
export const createUser = endpoint('POST', '/passport/admin/users', {
  summary: 'Create a user',
  description: 'The user can sign in after setting a password by an enrolment link, or accepting an invitation.',
  access: 'admin',
  recent: { ifRoles: true, ifGivesRoles: true },
  query: RoleChangeQuery,
  body: entity(NewUser),
  returns: json(User),
  creates: true,
  previews: true,
  fails: [409],
})

const userParams = z.object({ userId: z.string() })

export const getUser = endpoint('GET', '/passport/admin/users/{userId}', {
  summary: 'Get a user',
  access: 'admin',
  params: userParams,
  returns: json(User),
  conditional: true,
  fails: [404],
})

/**
 * The profile of a user; null or an empty text clears a field. Only changed values are validated: an identity provider may
 * have set others.
 */
const UserFields = z.object({
  displayname: z.nullable(z.string()),
  username: z.nullable(z.string()),
  email: z.nullable(z.string()),
  /** Whether the user is known to own `email`. */
  emailVerified: z.boolean(),
})
export type UserFields = z.infer<typeof UserFields>

export const updateUser = endpoint('PUT', '/passport/admin/users/{userId}', {
  summary: 'Replace the names and the email of a user',
  description: 'Send `emailVerified: false` with a new email, unless you know that it is theirs.',
  access: 'admin',
  recent: { ifGivesRoles: true },
  params: userParams,
  body: entity(UserFields),
  returns: json(User),
  conditional: true,
  fails: [404, 409],
})
export const deleteUser = endpoint('DELETE', '/passport/admin/users/{userId}', {
  summary: 'Delete a user',
  description: 'The user can be restored for 30 days, with their roles and memberships.',
  access: 'admin',
  params: userParams,
  query: RoleChangeQuery,
  conditional: true,
  previews: true,
  fails: [404, 409],
})
/** Fails with 409 `username-taken` or `email-taken`; retry with another value. Fails with 410 `restore-expired` after 30 days. */
export const restoreUser = endpoint('POST', '/passport/admin/users/{userId}/restore', {
  summary: 'Restore a deleted user',
  description: 'Also restores the roles and memberships of the user.',
  access: 'admin',
  recent: { ifGivesRoles: true },
  params: userParams,
  query: RoleChangeQuery,
  body: action(z.object({ username: z.optional(z.nullable(Username)), email: z.optional(z.nullable(Email)) }), {
    isOptional: true,
  }),
  returns: json(User),
  previews: true,
  fails: [404, 409, 410],
})
export const setUserRoles = endpoint('PUT', '/passport/admin/users/{userId}/roles', {
  summary: 'Set the direct roles of a user',
  access: 'admin',
  recent: true,
  params: userParams,
  query: RoleChangeQuery,
  body: action(z.object({ roles: RoleNames })),
  returns: json(User),
  conditional: true,
  previews: true,
  fails: [404, 409],
})

const statusChange = {
  access: 'admin',
  params: userParams,
  query: RoleChangeQuery,
  returns: json(User),
  fails: [404, 409],
} as const

export const disableUser = endpoint('POST', '/passport/admin/users/{userId}/actions/disable', {
  summary: 'Disable a user and revoke their sessions and tokens',
  ...statusChange,
  previews: true,
})
export const enableUser = endpoint('POST', '/passport/admin/users/{userId}/actions/enable', {
  summary: 'Enable a disabled user',
  ...statusChange,
  recent: { ifGivesRoles: true },
  previews: true,
})
export const lockDownUser = endpoint('POST', '/passport/admin/users/{userId}/actions/lockdown', {
  summary: 'Lock down a compromised account',
  description:
    'Disables the user, revokes their sessions, tokens and application grants, and ends the invitations, join links, set-up links and enrolment links that they have created.',
  ...statusChange,
  previews: true,
})
export const signOutUser = endpoint('POST', '/passport/admin/users/{userId}/actions/signout', {
  summary: 'Sign a user out everywhere',
  description:
    'Revokes their sessions, grants, codes, tokens and devices. Personal tokens stay valid unless `personalTokens` is true.',
  access: 'admin',
  params: userParams,
  body: action(z.object({ personalTokens: z.optional(z.boolean()) }), { isOptional: true }),
  returns: json(z.object({ sessions: z.int(), personalTokens: z.int() })),
  fails: [404],
})
/** The password is returned only once. Fails with 409 `nothing-to-reset` for users of other identity providers. */
export const resetUserPassword = endpoint('POST', '/passport/admin/users/{userId}/actions/reset', {
  summary: 'Reset a password and sign the user out everywhere',
  description: 'Only for users of the built-in directory.',
  access: 'admin',
  recent: true,
  params: userParams,
  returns: json(z.object({ name: z.string(), password: z.string() })),
  fails: [404, 409],
})

export const listUserLogins = endpoint('GET', '/passport/admin/users/{userId}/logins', {
  summary: 'List the logins of a user',
  access: 'admin',
  params: userParams,
  returns: json(z.array(Login)),
  fails: [404],
})
export const unlinkUserLogin = endpoint('DELETE', '/passport/admin/users/{userId}/logins/{loginId}', {
  summary: 'Unlink a login of a user',
  description:
    'Also ends the sessions and tokens that were created in sessions of it, or all of the user if it was their last login.',
  access: 'admin',
  recent: true,
  params: z.extend(userParams, { loginId: z.string() }),
  fails: [404, 409],
})

export const listUserSessions = endpoint('GET', '/passport/admin/users/{userId}/sessions', {
  summary: 'List the sessions of a user',
  access: 'admin',
  params: userParams,
  returns: json(z.array(SignedInBrowser)),
  fails: [404],
})
export const revokeUserSession = endpoint('DELETE', '/passport/admin/users/{userId}/sessions/{sessionId}', {
  summary: 'Revoke a session of a user',
  access: 'admin',
  params: z.extend(userParams, { sessionId: z.string() }),
  fails: [404],
  ...revokeSessionOptions,
})

/** The sign-ins of a user by day. A wrong password counts as failed if the username was theirs. */
export const UserSignIns = z
  .object({
    /** The last 90 days in UTC, oldest first, including days without a sign-in. */
    days: z.array(z.object({ day: z.iso.date(), succeeded: z.int(), failed: z.int() })),
  })
  .check(z.meta({ id: 'UserSignIns' }))
export type UserSignIns = z.infer<typeof UserSignIns>

export const countUserSignIns = endpoint('GET', '/passport/admin/users/{userId}/signins', {
  summary: 'Count the sign-ins of a user by day',
  access: 'admin',
  params: userParams,
  returns: json(UserSignIns),
  fails: [404],
})

const IdAndName = z.object({ id: z.string(), name: z.string() })

/**
 * The origin of a role: a direct grant by an administrator, or by the mapping of an organisation; or a group membership.
 */
const RoleSource = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('direct'), since: Instant, by: z.nullable(IdAndName), source: MappingSource }),
  z.object({ kind: z.literal('group'), since: Instant, group: IdAndName }),
])

/** A user's roles, groups and organisations, each with its origin and date. */
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
        source: MappingSource,
      }),
    ),
    orgs: z.array(z.extend(UserOrg, { since: Instant })),
  })
  .check(z.meta({ id: 'UserAccess' }))
export type UserAccess = z.infer<typeof UserAccess>

export const getUserAccess = endpoint('GET', '/passport/admin/users/{userId}/access', {
  summary: 'Explain the roles and memberships of a user',
  access: 'admin',
  params: userParams,
  returns: json(UserAccess),
  fails: [404],
})
/** The granting administrator is not disclosed: `by` is null. */
export const getOwnAccess = endpoint('GET', '/passport/account/access', {
  summary: 'Explain the roles and memberships of the caller',
  access: 'signedIn',
  returns: json(UserAccess),
})
export * from './own-permissions.ts'
