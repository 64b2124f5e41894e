import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import { Instant, Moment } from './instant.ts'
import { MappingSource } from './mapping-source.ts'
import { PageQuery, page, sortedBy } from './page.ts'
import { action, entity } from './request-body.ts'
import { RoleChangeQuery } from './role-effect.ts'
import { Line, OptionalLine } from './text-fields.ts'

/** The maximum number of distinct users in one change of members or owners. */
export const maxBatchSize = 200
/** The number of days for which deleted groups can be restored, and changes of groups are listed. */
export const retentionDays = 30

export const maxGroupNameGraphemes = 128
export const GroupName = Line(maxGroupNameGraphemes, 'group-name-invalid')
const maxDescription = 500
export const GroupDescription = OptionalLine(maxDescription, 'description-invalid')
const Description = z._default(GroupDescription, '')
/** The roles that a group grants. */
export const GroupRoles = z.array(z.string().check(z.maxLength(100))).check(z.maxLength(100))

const identityFields = {
  id: z.string(),
  /** The same as `id`. */
  groupId: z.string(),
}

const summaryFields = {
  ...identityFields,
  name: z.string(),
  description: z.string(),
  orgId: z.nullable(z.string()),
  orgName: z.nullable(z.string()),
  /** The organisation's identity provider manages the group by SCIM. */
  isProvisioned: z.boolean(),
  /** The roles that every member has through the group. */
  roles: z.array(z.string()),
  memberCount: z.int(),
  ownerCount: z.int(),
  /** Whether the caller is a member. */
  isMember: z.boolean(),
  /** Whether the caller is an owner. */
  isOwner: z.boolean(),
  /** Also the ETag; changes with each change of the group, its members and its owners. */
  version: z.int(),
  createdAt: Instant,
  updatedAt: Instant,
}

/** A group in a list. */
export const GroupSummary = z.object(summaryFields).check(z.meta({ id: 'GroupSummary' }))
export type GroupSummary = z.infer<typeof GroupSummary>

/** A group that was deleted or that the caller can no longer see. */
export const GroupTombstone = z
  .object({ ...identityFields, deleted: z.literal(true), version: z.int(), updatedAt: Instant })
  .check(z.meta({ id: 'GroupTombstone' }))
export type GroupTombstone = z.infer<typeof GroupTombstone>

/** A member or owner of a group. */
export const GroupUser = z
  .object({
    id: z.string(),
    displayname: z.string(),
    username: z.nullable(z.string()),
    avatarPngUrl: z.nullable(z.string()),
    addedAt: Instant,
    source: MappingSource,
  })
  .check(z.meta({ id: 'GroupUser' }))
export type GroupUser = z.infer<typeof GroupUser>

/** A group with its first 200 members and owners, oldest first; `…Next` is the path of the next page. */
export const Group = z
  .object({
    ...summaryFields,
    members: z.array(GroupUser),
    membersNext: z.nullable(z.string()),
    owners: z.array(GroupUser),
    ownersNext: z.nullable(z.string()),
  })
  .check(z.meta({ id: 'Group' }))
export type Group = z.infer<typeof Group>

const UserId = z.string().check(z.minLength(1), z.maxLength(100))
const ids = z.array(UserId)
const isNotEmpty = z.refine<string[]>((list) => list.length > 0, { error: 'At least one is required.' })
const isWithinBatchSize = z.refine<string[]>((list) => new Set(list).size <= maxBatchSize, {
  error: `At most ${maxBatchSize} distinct entries are allowed.`,
})

/** Accepts a list of user ids as `{ "members": […] }` or `{ "owners": […] }`, `{ "ids": […] }`, or a bare array. */
function userListBody<Name extends 'members' | 'owners'>(name: Name) {
  const schema = z.object({ [name]: ids.check(isNotEmpty, isWithinBatchSize) } as Record<Name, typeof ids>)
  const normalise = z.transform((sent: unknown) => {
    if (Array.isArray(sent)) return { [name]: sent }
    if (typeof sent !== 'object' || sent === null || !('ids' in sent) || name in sent) return sent
    const { ids: list, ...rest } = sent
    return { ...rest, [name]: list }
  })
  return z.pipe(normalise, schema)
}

/** The effect of a change of members or owners. Ids in neither list were not in the request. */
export const GroupChange = z
  .object({
    groupId: z.string(),
    version: z.int(),
    changed: z.array(z.string()),
    /** Users who were already in the list when added, or not in it when removed. */
    unchanged: z.array(z.string()),
    memberCount: z.int(),
    ownerCount: z.int(),
  })
  .check(z.meta({ id: 'GroupChange' }))
export type GroupChange = z.infer<typeof GroupChange>

/** The user that each line of a pasted list matches, in the order of the lines. */
export const GroupLookup = z
  .object({
    lines: z.array(
      z.object({
        line: z.string(),
        verdict: z.enum(['found', 'unknown', 'ambiguous']),
        person: z.nullable(
          z.object({
            id: z.string(),
            displayname: z.string(),
            username: z.nullable(z.string()),
            isMember: z.boolean(),
            isOwner: z.boolean(),
          }),
        ),
      }),
    ),
  })
  .check(z.meta({ id: 'GroupLookup' }))
export type GroupLookup = z.infer<typeof GroupLookup>

export const GroupQuery = z.extend(PageQuery, {
  /** Word prefixes of the name or the description, or an id. */
  query: z.optional(z.string().check(z.maxLength(100))),
  orgId: z.optional(z.string().check(z.maxLength(100))),
  /** Only groups of which the caller is a member or an owner; administrators get all groups otherwise. */
  mine: z.optional(z.stringbool()),
  /** Returns the changes since that instant, oldest first, including tombstones. */
  updatedSince: z.optional(Moment),
  /** The default is `name`. */
  ...sortedBy(['name', 'members', 'updated']),
})
export type GroupQuery = z.infer<typeof GroupQuery>

const GroupUsersQuery = z.extend(PageQuery, {
  /** Word prefixes of the name or the username, or an id. */
  query: z.optional(z.string().check(z.maxLength(100))),
})

const idParams = z.object({ id: z.string() })
const groupParams = z.object({ groupId: z.string() })
const signedInAccess = { access: 'signedIn', bearer: true } as const
/** Scripts of administrators read groups too. */
const readAccess = { ...signedInAccess, adminScopes: true } as const

/**
 * With `updatedSince`, lists the changes since then; the `watermark` of the last page is the next `updatedSince`.
 * Without it, lists all groups; once all pages are read, the `watermark` of the first page is the next `updatedSince`.
 * Fails with 410 `sync-reset-required` if `updatedSince` is too long ago.
 */
export const listGroups = endpoint('GET', '/passport/groups', {
  summary: 'List groups',
  description:
    'Lists the groups of the caller, for administrators all groups, by name or in the order of `sort`. With `updatedSince`, lists changes since that time.',
  ...readAccess,
  query: GroupQuery,
  returns: json(z.extend(page(z.union([GroupTombstone, GroupSummary])), { watermark: z.optional(Instant) })),
  fails: [410],
})
/**
 * Any user may create groups, and deleted groups are kept for 30 days: without a limit, one user could fill the
 * database.
 */
const creationLimit = { requests: 200, perSeconds: 3600, by: 'caller' } as const

/** The creator becomes an owner. Only owners and admins of an organisation may create its groups. */
export const createGroup = endpoint('POST', '/passport/groups', {
  summary: 'Create a group',
  ...signedInAccess,
  body: entity(
    z.object({
      name: GroupName,
      description: Description,
      orgId: z._default(z.nullable(z.string().check(z.minLength(1), z.maxLength(100))), null),
      members: z._default(ids.check(isWithinBatchSize), []),
      owners: z._default(ids.check(isWithinBatchSize), []),
    }),
  ),
  returns: json(Group),
  creates: true,
  conditional: true,
  rateLimit: creationLimit,
  fails: [409],
})
export const getGroup = endpoint('GET', '/passport/groups/{id}', {
  summary: 'Get a group with its members and owners',
  ...readAccess,
  params: idParams,
  returns: json(Group),
  conditional: true,
  fails: [404],
})
/**
 * Replaces both fields; members and owners have their own endpoints. Fails with 403 `role-not-yours-to-give` if the
 * group grants roles that the caller may not grant.
 */
export const putGroup = endpoint('PUT', '/passport/groups/{groupId}', {
  summary: 'Update the name and description of a group',
  ...signedInAccess,
  params: groupParams,
  body: entity(
    z.object({
      name: GroupName,
      description: Description,
      members: z.optional(z.never()),
      owners: z.optional(z.never()),
    }),
  ),
  returns: json(Group),
  conditional: true,
  fails: [404, 409],
})
export const deleteGroup = endpoint('DELETE', '/passport/groups/{id}', {
  summary: 'Delete a group',
  description: `It can be restored for ${retentionDays} days.`,
  ...signedInAccess,
  params: idParams,
  query: RoleChangeQuery,
  conditional: true,
  previews: true,
  fails: [404, 409],
})
/**
 * Restores the members, owners and roles too. Fails with 409 `group-name-taken` if another group has the name now; send
 * a new name.
 */
export const restoreGroup = endpoint('POST', '/passport/groups/{id}/restore', {
  summary: 'Restore a deleted group',
  ...signedInAccess,
  recent: { ifGivesRoles: true },
  params: idParams,
  query: RoleChangeQuery,
  body: action(z.object({ name: z.optional(GroupName) }), { isOptional: true }),
  returns: json(Group),
  conditional: true,
  previews: true,
  fails: [404, 409],
})

export const listGroupMembers = endpoint('GET', '/passport/groups/{groupId}/members', {
  summary: 'List the members of a group, oldest first',
  ...readAccess,
  params: groupParams,
  query: GroupUsersQuery,
  returns: json(page(GroupUser)),
  fails: [404],
})
export const listGroupOwners = endpoint('GET', '/passport/groups/{groupId}/owners', {
  summary: 'List the owners of a group, oldest first',
  ...readAccess,
  params: groupParams,
  query: GroupUsersQuery,
  returns: json(page(GroupUser)),
  fails: [404],
})

/** Matches ids, usernames and, for administrators, email addresses. Changes nothing. */
export const lookUpUsers = endpoint('POST', '/passport/groups/{groupId}/lookup', {
  summary: 'Match lines of text to users',
  ...signedInAccess,
  rateLimit: { requests: 60, perSeconds: 60, by: 'caller' },
  params: groupParams,
  body: action(z.object({ lines: z.array(z.string().check(z.maxLength(320))).check(z.maxLength(1000)) })),
  returns: json(GroupLookup),
  fails: [404],
})

const membershipChange = {
  ...signedInAccess,
  params: groupParams,
  query: RoleChangeQuery,
  returns: json(GroupChange),
  conditional: true,
  previews: true,
  fails: [404, 409],
} as const

export const addGroupMembers = endpoint('POST', '/passport/groups/{groupId}/members/add', {
  summary: 'Add members to a group',
  description: 'Adds all of them or none.',
  ...membershipChange,
  recent: { ifGivesRoles: true },
  body: action(userListBody('members')),
})
/** Members may remove themselves. */
export const removeGroupMembers = endpoint('POST', '/passport/groups/{groupId}/members/remove', {
  summary: 'Remove members from a group',
  description: 'Removes all of them or none.',
  ...membershipChange,
  body: action(userListBody('members')),
})
/** An owner is not automatically a member. */
export const addGroupOwners = endpoint('POST', '/passport/groups/{groupId}/owners/add', {
  summary: 'Add owners to a group',
  description: 'Adds all of them or none.',
  ...membershipChange,
  recent: { ifGivesRoles: true },
  body: action(userListBody('owners')),
})
/** Fails with 409 `last-owner` if no owner would be left. */
export const removeGroupOwners = endpoint('POST', '/passport/groups/{groupId}/owners/remove', {
  summary: 'Remove owners from a group',
  description: 'Removes all of them or none.',
  ...membershipChange,
  body: action(userListBody('owners')),
})

/** Fails with 403 `role-not-yours-to-give` for roles that the caller may not grant. */
export const putGroupRoles = endpoint('PUT', '/passport/groups/{groupId}/roles', {
  summary: 'Set the roles that a group grants to its members',
  access: 'admin',
  recent: true,
  params: groupParams,
  query: RoleChangeQuery,
  body: action(z.object({ roles: GroupRoles })),
  returns: json(Group),
  conditional: true,
  previews: true,
  fails: [404, 409],
})
