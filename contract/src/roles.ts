import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import { Instant } from './instant.ts'
import { PageQuery, page } from './page.ts'
import { RoleChangeQuery } from './role-effect.ts'
import { Line } from './text-fields.ts'

/** Words of letters and digits that begin with a capital, joined by dots: `Stage.Editor`. */
export const RoleName = z.string().check(
  z.refine((name) => name.length <= 100 && /^[A-Z][A-Za-z0-9]*(\.[A-Z][A-Za-z0-9]*)*$/.test(name), {
    error: 'Is made of letters and digits in words that begin with a capital, joined by dots, such as Stage.Editor.',
    params: { code: 'role-name-invalid' },
  }),
)
const Description = Line(300, 'description-invalid')

/** What someone may be to the applications, by an exact name. `version` is also the ETag. */
export const Role = z
  .object({
    name: z.string(),
    description: z.string(),
    /** Cannot be deleted. */
    builtIn: z.boolean(),
    /** The people who have it, by themselves or by a group. */
    memberCount: z.int(),
    /** False where there are more than `memberCount`, and left out where it is exact. */
    memberCountIsExact: z.optional(z.literal(false)),
    createdAt: Instant,
    updatedAt: Instant,
    version: z.int(),
  })
  .check(z.meta({ id: 'Role' }))
export type Role = z.infer<typeof Role>

const Person = z.object({ id: z.string(), name: z.string() })

/** Someone who has a role, and why: of themselves, by groups, or both. */
export const RoleMember = z
  .object({
    id: z.string(),
    displayname: z.nullable(z.string()),
    username: z.nullable(z.string()),
    email: z.nullable(z.string()),
    disabled: z.boolean(),
    /** Given to themselves; `by` is null where the installation did it. */
    direct: z.nullable(z.object({ since: Instant, by: z.nullable(Person) })),
    groups: z.array(z.object({ id: z.string(), name: z.string(), since: Instant })),
  })
  .check(z.meta({ id: 'RoleMember' }))
export type RoleMember = z.infer<typeof RoleMember>

const one = z.object({ name: z.string() })
const word = z.optional(z.string().check(z.trim(), z.maxLength(100)))

export const listRoles = endpoint('GET', '/passport/admin/roles', {
  summary: 'List roles by name; `query` is a part of the name or of the description',
  access: 'admin',
  query: z.extend(PageQuery, { query: word }),
  returns: json(page(Role)),
})
export const createRole = endpoint('POST', '/passport/admin/roles', {
  summary: 'Create a role, which nobody has yet',
  access: 'admin',
  body: json(z.object({ name: RoleName, description: Description })),
  returns: json(Role),
  creates: true,
  fails: [409],
})
export const getRole = endpoint('GET', '/passport/admin/roles/{name}', {
  summary: 'Get one role',
  access: 'admin',
  params: one,
  returns: json(Role),
  conditional: true,
  fails: [404],
})
/** The name stays as it is: applications know the role by it. */
export const putRole = endpoint('PUT', '/passport/admin/roles/{name}', {
  summary: 'Change the description of a role',
  access: 'admin',
  params: one,
  body: json(z.object({ description: Description })),
  returns: json(Role),
  conditional: true,
  fails: [404],
})
export const deleteRole = endpoint('DELETE', '/passport/admin/roles/{name}', {
  summary: 'Delete a role that is not built in; everyone loses it',
  access: 'admin',
  params: one,
  query: RoleChangeQuery,
  conditional: true,
  previews: true,
  fails: [404, 409],
})
export const listRoleMembers = endpoint('GET', '/passport/admin/roles/{name}/members', {
  summary: 'List by name who has a role, and why; `query` holds the beginnings of words of their names',
  access: 'admin',
  params: one,
  query: z.extend(PageQuery, { query: word }),
  returns: json(page(RoleMember)),
  fails: [404],
})

const ids = z.array(z.string()).check(
  z.overwrite((all) => [...new Set(all)]),
  z.minLength(1),
  z.maxLength(200),
)
/** Of the people, who has the role now for whom that is new, and for whom nothing changed. */
const MembersChanged = z.object({ role: z.string(), changed: z.array(z.string()), unchanged: z.array(z.string()) })

const change = {
  access: 'admin',
  params: one,
  query: RoleChangeQuery,
  body: json(z.strictObject({ members: ids })),
  returns: json(MembersChanged),
  previews: true,
  fails: [404, 409],
} as const

export const addRoleMembers = endpoint('POST', '/passport/admin/roles/{name}/members/add', {
  ...change,
  summary: 'Give people a role; all of them or nobody',
})
/** Whoever has the role by a group as well keeps it. */
export const removeRoleMembers = endpoint('POST', '/passport/admin/roles/{name}/members/remove', {
  ...change,
  summary: 'Take from people a role that they have of themselves',
})
