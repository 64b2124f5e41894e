import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import type { FieldCode } from './field-codes.ts'
import { Instant } from './instant.ts'
import { MappingSource } from './mapping-source.ts'
import { PageQuery, page, sortedBy } from './page.ts'
import { action, entity } from './request-body.ts'
import { RoleChangeQuery } from './role-effect.ts'
import { Line } from './text-fields.ts'
import { UserStatus } from './users.ts'

/** Words of letters and digits that begin with a capital, joined by dots: `Stage.Editor`. */
export const RoleName = z.string().check(
  z.refine((name) => name.length <= 100 && /^[A-Z][A-Za-z0-9]*(\.[A-Z][A-Za-z0-9]*)*$/.test(name), {
    error: 'Must be PascalCase words separated by dots, such as Stage.Editor.',
    params: { code: 'role-name-invalid' satisfies FieldCode },
  }),
)
export const RoleDescription = Line(300, 'description-invalid')

/** A role, which applications identify by its exact name. `version` is also the ETag. */
export const Role = z
  .object({
    name: z.string(),
    description: z.string(),
    /** Cannot be deleted. */
    builtIn: z.boolean(),
    /** The number of users who have it, directly or through a group. */
    memberCount: z.int(),
    /** False if `memberCount` is an estimate, and omitted if it is exact. */
    memberCountIsExact: z.optional(z.literal(false)),
    /**
     * The number of users who have it directly; the other members have it only through groups. Beyond 1,000 it is an
     * estimate, and so is `memberCount`.
     */
    directMemberCount: z.int(),
    createdAt: Instant,
    updatedAt: Instant,
    version: z.int(),
  })
  .check(z.meta({ id: 'Role' }))
export type Role = z.infer<typeof Role>

const NamedUser = z.object({ id: z.string(), name: z.string() })

/** A user with the role, and the sources of it: a direct grant, groups, or both. */
export const RoleMember = z
  .object({
    id: z.string(),
    displayname: z.nullable(z.string()),
    username: z.nullable(z.string()),
    avatarPngUrl: z.nullable(z.string()),
    email: z.nullable(z.string()),
    disabled: z.boolean(),
    status: UserStatus,
    /** A direct grant; `by` is an organisation for a grant by its mapping, and null for one by the installation. */
    direct: z.nullable(z.object({ since: Instant, by: z.nullable(NamedUser), source: MappingSource })),
    groups: z.array(z.object({ id: z.string(), name: z.string(), since: Instant })),
  })
  .check(z.meta({ id: 'RoleMember' }))
export type RoleMember = z.infer<typeof RoleMember>

const roleParams = z.object({ name: z.string() })
const searchText = z.optional(z.string().check(z.trim(), z.maxLength(100)))

export const listRoles = endpoint('GET', '/passport/admin/roles', {
  summary: 'List roles by name',
  description: '`query` matches a part of the name or the description. `sort` chooses another order.',
  access: 'admin',
  query: z.extend(PageQuery, { query: searchText, ...sortedBy(['name', 'members', 'updated']) }),
  returns: json(page(Role)),
})
export const createRole = endpoint('POST', '/passport/admin/roles', {
  summary: 'Create a role',
  access: 'admin',
  body: entity(z.object({ name: RoleName, description: RoleDescription })),
  returns: json(Role),
  creates: true,
  fails: [409],
})
export const getRole = endpoint('GET', '/passport/admin/roles/{name}', {
  summary: 'Get a role',
  access: 'admin',
  params: roleParams,
  returns: json(Role),
  conditional: true,
  fails: [404],
})
/** The name is immutable: applications identify the role by it. */
export const putRole = endpoint('PUT', '/passport/admin/roles/{name}', {
  summary: 'Update the description of a role',
  access: 'admin',
  params: roleParams,
  body: entity(z.object({ description: RoleDescription })),
  returns: json(Role),
  conditional: true,
  fails: [404],
})
export const deleteRole = endpoint('DELETE', '/passport/admin/roles/{name}', {
  summary: 'Delete a role',
  description: 'The role is removed from all users and groups. Built-in roles cannot be deleted.',
  access: 'admin',
  recent: true,
  params: roleParams,
  query: RoleChangeQuery,
  conditional: true,
  previews: true,
  fails: [404, 409],
})
export const listRoleMembers = endpoint('GET', '/passport/admin/roles/{name}/members', {
  summary: 'List the users with a role, by name',
  description:
    'Each entry says whether the role is direct or comes from groups. `query` matches word prefixes of names.',
  access: 'admin',
  params: roleParams,
  query: z.extend(PageQuery, { query: searchText }),
  returns: json(page(RoleMember)),
  fails: [404],
})

export const listRoleGroups = endpoint('GET', '/passport/admin/roles/{name}/groups', {
  summary: 'List the groups whose members inherit a role, by name',
  description: 'At most 200 groups.',
  access: 'admin',
  params: roleParams,
  returns: json(z.array(z.object({ id: z.string(), name: z.string() }))),
  fails: [404],
})

const MemberIds = z.array(z.string()).check(
  z.overwrite((all) => [...new Set(all)]),
  z.minLength(1),
  z.maxLength(200),
)
/** The users that were changed, and those that had the role already or, on removal, did not have it directly. */
const MembersChanged = z.object({ role: z.string(), changed: z.array(z.string()), unchanged: z.array(z.string()) })

const membershipChange = {
  access: 'admin',
  recent: true,
  params: roleParams,
  query: RoleChangeQuery,
  body: action(z.object({ members: MemberIds })),
  returns: json(MembersChanged),
  previews: true,
  fails: [404, 409],
} as const

export const addRoleMembers = endpoint('POST', '/passport/admin/roles/{name}/members/add', {
  ...membershipChange,
  summary: 'Assign a role to users',
  description: 'Assigns it to all of them or none.',
})
/** Users who also have the role through a group keep it. */
export const removeRoleMembers = endpoint('POST', '/passport/admin/roles/{name}/members/remove', {
  ...membershipChange,
  summary: 'Remove a direct role from users',
})
