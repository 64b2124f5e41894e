import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import { Instant, Moment } from './instant.ts'
import { PageQuery, page } from './page.ts'
import { RoleChangeQuery } from './role-effect.ts'
import { Line, lineFault } from './text-fields.ts'

/** At most this many different people in one change of members or owners. */
export const maxBatch = 200
/** For so many days a deleted group can be restored, and what became of groups is told. */
export const keptDays = 30

const GroupName = Line(128, 'group-name-invalid')
/** May be empty. */
const descriptionFault = (text: string) => (text === '' ? undefined : lineFault(text, 500))
const Description = z._default(
  z.string().check(
    z.overwrite((text) => text.normalize('NFC').trim()),
    z.refine((text) => descriptionFault(text) === undefined, {
      error: ({ input }) => descriptionFault(String(input)),
      params: { code: 'description-invalid' },
    }),
  ),
  '',
)

const told = {
  id: z.string(),
  /** The same as `id`. */
  groupId: z.string(),
}

const summary = {
  ...told,
  name: z.string(),
  description: z.string(),
  orgId: z.nullable(z.string()),
  orgName: z.nullable(z.string()),
  /** What every member may do by being one. */
  roles: z.array(z.string()),
  memberCount: z.int(),
  ownerCount: z.int(),
  /** Of the caller. */
  isMember: z.boolean(),
  isOwner: z.boolean(),
  /** Also the ETag: another one with each change of the group, its members and its owners. */
  version: z.int(),
  createdAt: Instant,
  updatedAt: Instant,
}

/** A group as lists tell of it. */
export const GroupSummary = z.object(summary).check(z.meta({ id: 'GroupSummary' }))
export type GroupSummary = z.infer<typeof GroupSummary>

/** What is left of a group that was deleted, or that the caller does not see any more. */
export const GroupTombstone = z
  .object({ ...told, deleted: z.literal(true), version: z.int(), updatedAt: Instant })
  .check(z.meta({ id: 'GroupTombstone' }))
export type GroupTombstone = z.infer<typeof GroupTombstone>

/** Someone in a group, and since when. */
export const GroupPerson = z
  .object({ id: z.string(), displayname: z.string(), username: z.nullable(z.string()), addedAt: Instant })
  .check(z.meta({ id: 'GroupPerson' }))
export type GroupPerson = z.infer<typeof GroupPerson>

/** A group with the first 200 of its members and owners, in the order in which they came; `…Next` is the path of those that follow. */
export const Group = z
  .object({
    ...summary,
    members: z.array(GroupPerson),
    membersNext: z.nullable(z.string()),
    owners: z.array(GroupPerson),
    ownersNext: z.nullable(z.string()),
  })
  .check(z.meta({ id: 'Group' }))
export type Group = z.infer<typeof Group>

const UserId = z.string().check(z.minLength(1), z.maxLength(100))
const ids = z.array(UserId)
const hasAny = z.refine<string[]>((list) => list.length > 0, { error: 'Name at least one.' })
const isBatch = z.refine<string[]>((list) => new Set(list).size <= maxBatch, {
  error: `Name at most ${maxBatch} different ones.`,
})

/** A list as `{ "members": […] }` or `{ "owners": […] }`, by the name of what it changes, as `{ "ids": […] }`, or bare. */
function peopleNamed<Name extends 'members' | 'owners'>(name: Name) {
  const named = z.strictObject({ [name]: ids.check(hasAny, isBatch) } as Record<Name, typeof ids>)
  const asNamed = z.transform((sent: unknown) => {
    if (Array.isArray(sent)) return { [name]: sent }
    if (typeof sent !== 'object' || sent === null || !('ids' in sent) || name in sent) return sent
    const { ids: list, ...others } = sent
    return { ...others, [name]: list }
  })
  return z.pipe(asNamed, named)
}

/** What a change of members or owners did; who was named and is in neither list was not asked for. */
export const GroupChange = z
  .object({
    groupId: z.string(),
    version: z.int(),
    changed: z.array(z.string()),
    /** They were in already, or not in at all. */
    unchanged: z.array(z.string()),
    memberCount: z.int(),
    ownerCount: z.int(),
  })
  .check(z.meta({ id: 'GroupChange' }))
export type GroupChange = z.infer<typeof GroupChange>

/** Whom lines of a pasted list stand for, in their order. */
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
  /** Words of the name or the description by their beginnings, or an id. */
  query: z.optional(z.string().check(z.maxLength(100))),
  orgId: z.optional(z.string().check(z.maxLength(100))),
  /** Only groups of which the caller is a member or an owner, also where they are an administrator. */
  mine: z.optional(z.stringbool()),
  /** Tells what changed from that moment on, in the order of the changes, deleted groups among it. */
  updatedSince: z.optional(Moment),
})
export type GroupQuery = z.infer<typeof GroupQuery>

const PeopleQuery = z.extend(PageQuery, {
  /** Words of the name or the username by their beginnings, or an id. */
  query: z.optional(z.string().check(z.maxLength(100))),
})

const one = z.object({ id: z.string() })
const named = z.object({ groupId: z.string() })
const shared = { access: 'signedIn', bearer: true } as const

/**
 * With `updatedSince` a page has what changed since, and `watermark` of its last page is what to ask with the next time.
 * Without it, `watermark` of the first page is what to ask with after the whole list was read. 410 `sync-reset-required`
 * where that is too long ago.
 */
export const listGroups = endpoint('GET', '/passport/groups', {
  summary: 'List the groups of the caller by name, or what changed since a moment; to administrators all groups',
  ...shared,
  query: GroupQuery,
  returns: json(z.extend(page(z.union([GroupTombstone, GroupSummary])), { watermark: z.optional(Instant) })),
  fails: [410],
})
/** The creator is an owner. An organisation's groups are made by its owners and admins. */
export const createGroup = endpoint('POST', '/passport/groups', {
  summary: 'Create a group',
  ...shared,
  body: json(
    z.object({
      name: GroupName,
      description: Description,
      orgId: z._default(z.nullable(z.string().check(z.minLength(1), z.maxLength(100))), null),
      members: z._default(ids.check(isBatch), []),
      owners: z._default(ids.check(isBatch), []),
    }),
  ),
  returns: json(Group),
  creates: true,
  conditional: true,
  fails: [409],
})
export const getGroup = endpoint('GET', '/passport/groups/{id}', {
  summary: 'Get a group with its members and owners',
  ...shared,
  params: one,
  returns: json(Group),
  conditional: true,
  fails: [404],
})
/** Replaces both; members and owners have calls of their own. */
export const putGroup = endpoint('PUT', '/passport/groups/{groupId}', {
  summary: 'Change the name and the description of a group',
  ...shared,
  params: named,
  body: json(
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
  summary: `Delete a group; for ${keptDays} days it can be restored`,
  ...shared,
  params: one,
  query: RoleChangeQuery,
  conditional: true,
  previews: true,
  fails: [404, 409],
})
/** With the members and owners that it had. 409 `group-name-taken` where another has the name now: give a new one. */
export const restoreGroup = endpoint('POST', '/passport/groups/{id}/restore', {
  summary: 'Restore a deleted group',
  ...shared,
  params: one,
  query: RoleChangeQuery,
  body: json(z.object({ name: z.optional(GroupName) }), { isOptional: true }),
  returns: json(Group),
  conditional: true,
  previews: true,
  fails: [404, 409],
})

export const listMembers = endpoint('GET', '/passport/groups/{groupId}/members', {
  summary: 'List the members of a group in the order in which they came',
  ...shared,
  params: named,
  query: PeopleQuery,
  returns: json(page(GroupPerson)),
  fails: [404],
})
export const listOwners = endpoint('GET', '/passport/groups/{groupId}/owners', {
  summary: 'List the owners of a group in the order in which they came',
  ...shared,
  params: named,
  query: PeopleQuery,
  returns: json(page(GroupPerson)),
  fails: [404],
})

/** Whom a pasted list is about, before anything is changed: ids, usernames and, for administrators, e-mail addresses. */
export const lookUpPeople = endpoint('POST', '/passport/groups/{groupId}/lookup', {
  summary: 'Tell whom lines of text stand for',
  ...shared,
  rateLimit: { requests: 60, perSeconds: 60, by: 'caller' },
  params: named,
  body: json(z.object({ lines: z.array(z.string().check(z.maxLength(320))).check(z.maxLength(1000)) })),
  returns: json(GroupLookup),
  fails: [404],
})

const ofPeople = {
  ...shared,
  params: named,
  query: RoleChangeQuery,
  returns: json(GroupChange),
  conditional: true,
  previews: true,
  fails: [404, 409],
} as const

export const addMembers = endpoint('POST', '/passport/groups/{groupId}/members/add', {
  summary: 'Add members, all or none',
  ...ofPeople,
  body: json(peopleNamed('members')),
})
/** Every member may remove themself. */
export const removeMembers = endpoint('POST', '/passport/groups/{groupId}/members/remove', {
  summary: 'Remove members, all or none',
  ...ofPeople,
  body: json(peopleNamed('members')),
})
/** An owner is no member by that. */
export const addOwners = endpoint('POST', '/passport/groups/{groupId}/owners/add', {
  summary: 'Add owners, all or none',
  ...ofPeople,
  body: json(peopleNamed('owners')),
})
/** 409 `last-owner` where none would be left. */
export const removeOwners = endpoint('POST', '/passport/groups/{groupId}/owners/remove', {
  summary: 'Remove owners, all or none',
  ...ofPeople,
  body: json(peopleNamed('owners')),
})

/** 403 `role-not-yours-to-give` for roles that the caller may not give. */
export const putGroupRoles = endpoint('PUT', '/passport/groups/{groupId}/roles', {
  summary: 'Say which roles the members of a group have',
  access: 'admin',
  params: named,
  query: RoleChangeQuery,
  body: json(z.object({ roles: z.array(z.string().check(z.maxLength(100))).check(z.maxLength(100)) })),
  returns: json(Group),
  conditional: true,
  previews: true,
  fails: [404, 409],
})
