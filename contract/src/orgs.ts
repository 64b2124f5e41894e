import * as z from 'zod/mini'
import { DomainName } from './domain-name.ts'
import { endpoint, json } from './endpoint.ts'
import { Instant } from './instant.ts'
import { OrgDomain } from './org-domains.ts'
import { PageQuery, page } from './page.ts'
import { RoleChangeQuery } from './role-effect.ts'
import { Line } from './text-fields.ts'

/** What someone is in an organisation: owners and admins run it, and only owners make owners. */
export const OrgRole = z.enum(['owner', 'admin', 'member'])
export type OrgRole = z.infer<typeof OrgRole>

export const maxOrgName = 128
export const OrgName = Line(maxOrgName, 'name-invalid')

/** The name of an organisation in addresses. */
export const Slug = z.string().check(
  z.overwrite((slug) => slug.trim().toLowerCase()),
  z.refine((slug) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(slug), {
    error: 'Must be 1 to 63 letters a to z, digits and hyphens, with no hyphen at the ends.',
    params: { code: 'slug-invalid' },
  }),
)

const summary = {
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  kind: z.enum(['standard', 'entra']),
  memberCount: z.int(),
  createdAt: Instant,
  updatedAt: Instant,
  version: z.int(),
}

/** An organisation in a list; `domains` are those that it has proved. */
export const OrgSummary = z.object({ ...summary, domains: z.array(z.string()) }).check(z.meta({ id: 'OrgSummary' }))
export type OrgSummary = z.infer<typeof OrgSummary>

/** A customer, with people and domains of its own. */
export const Org = z.object({ ...summary, domains: z.array(OrgDomain) }).check(z.meta({ id: 'Org' }))
export type Org = z.infer<typeof Org>

/** Someone of an organisation; `since` is when they came in. */
export const OrgMember = z
  .object({
    id: z.string(),
    name: z.string(),
    username: z.nullable(z.string()),
    role: OrgRole,
    since: Instant,
  })
  .check(z.meta({ id: 'OrgMember' }))
export type OrgMember = z.infer<typeof OrgMember>

const one = z.object({ orgId: z.string() })
const search = z.optional(z.string().check(z.maxLength(100)))

const OrgsQuery = z.extend(PageQuery, {
  /** Beginnings of words of the name and the slug, or an id. */
  query: search,
  /** With a hyphen the other way round. */
  sort: z._default(z.enum(['name', '-name', 'created', '-created', 'members', '-members']), 'name'),
})

export const listOrgs = endpoint('GET', '/passport/admin/orgs', {
  summary: 'List organisations',
  access: 'admin',
  query: OrgsQuery,
  returns: json(page(OrgSummary)),
})
/** Without a slug it gets one from its name. Domains begin as pending. */
export const createOrg = endpoint('POST', '/passport/admin/orgs', {
  summary: 'Make an organisation',
  access: 'admin',
  body: json(
    z.object({
      name: OrgName,
      slug: z.optional(Slug),
      domains: z.optional(z.array(DomainName).check(z.maxLength(20))),
    }),
  ),
  returns: json(Org),
  creates: true,
  fails: [409],
})

const get = { params: one, returns: json(Org), conditional: true, fails: [404] } as const
export const getOrg = endpoint('GET', '/passport/admin/orgs/{orgId}', {
  summary: 'Get an organisation',
  access: 'admin',
  ...get,
})
export const getOwnOrg = endpoint('GET', '/passport/orgs/{orgId}', {
  summary: 'Get an organisation that the caller runs',
  access: 'signedIn',
  ...get,
})

export const putOrg = endpoint('PUT', '/passport/admin/orgs/{orgId}', {
  summary: 'Rename an organisation',
  access: 'admin',
  params: one,
  body: json(z.object({ name: OrgName, slug: Slug })),
  returns: json(Org),
  conditional: true,
  fails: [404, 409],
})
/** Its groups go with it, and with them the roles that they carry. */
export const deleteOrg = endpoint('DELETE', '/passport/admin/orgs/{orgId}', {
  summary: 'Delete an organisation with its groups; it can be brought back for 30 days',
  access: 'admin',
  params: one,
  query: RoleChangeQuery,
  conditional: true,
  previews: true,
  fails: [404, 409],
})
/** With 409 `slug-taken` another slug is needed. */
export const restoreOrg = endpoint('POST', '/passport/admin/orgs/{orgId}/restore', {
  summary: 'Bring an organisation back, with its members and groups',
  access: 'admin',
  params: one,
  query: RoleChangeQuery,
  body: json(z.object({ slug: z.optional(Slug) }), { isOptional: true }),
  returns: json(Org),
  conditional: true,
  previews: true,
  fails: [404, 409],
})

const listed = {
  params: one,
  query: z.extend(PageQuery, { query: search, role: z.optional(OrgRole) }),
  returns: json(page(OrgMember)),
  fails: [404],
} as const
export const listOrgMembers = endpoint('GET', '/passport/admin/orgs/{orgId}/members', {
  summary: 'List the people of an organisation: owners, admins, members, each since when',
  access: 'admin',
  ...listed,
})
export const listOwnOrgMembers = endpoint('GET', '/passport/orgs/{orgId}/members', {
  summary: 'List the people of an organisation that the caller runs',
  access: 'signedIn',
  ...listed,
})

const members = z.array(z.string()).check(z.minLength(1), z.maxLength(200))

/** What a batch did; who was in already, or not at all, is `unchanged`. */
const MembersChanged = z
  .object({
    orgId: z.string(),
    version: z.int(),
    changed: z.array(z.string()),
    unchanged: z.array(z.string()),
    memberCount: z.int(),
  })
  .check(z.meta({ id: 'OrgMembersChanged' }))
export type MembersChanged = z.infer<typeof MembersChanged>

/** With what they were, by which they can be put back. */
const MembersRemoved = z
  .object({ ...MembersChanged.shape, were: z.array(z.object({ id: z.string(), role: OrgRole })) })
  .check(z.meta({ id: 'OrgMembersRemoved' }))
export type MembersRemoved = z.infer<typeof MembersRemoved>

/** Of who belongs to an organisation no role depends: the effect of a preview is empty. */
const batch = { params: one, query: RoleChangeQuery, conditional: true, previews: true, fails: [404, 409] } as const
const added = json(z.strictObject({ members, role: z._default(OrgRole, 'member') }))
const removed = json(z.strictObject({ members }))

/** Who is in already keeps the role that they have. */
export const addOrgMembers = endpoint('POST', '/passport/admin/orgs/{orgId}/members/add', {
  summary: 'Add people to an organisation, all or none',
  access: 'admin',
  body: added,
  returns: json(MembersChanged),
  ...batch,
})
export const addOwnOrgMembers = endpoint('POST', '/passport/orgs/{orgId}/members/add', {
  summary: 'Add people to an organisation that the caller runs, all or none',
  access: 'signedIn',
  body: added,
  returns: json(MembersChanged),
  ...batch,
})
export const removeOrgMembers = endpoint('POST', '/passport/admin/orgs/{orgId}/members/remove', {
  summary: 'Remove people from an organisation, all or none',
  access: 'admin',
  body: removed,
  returns: json(MembersRemoved),
  ...batch,
})
/** Anyone may leave by it. */
export const removeOwnOrgMembers = endpoint('POST', '/passport/orgs/{orgId}/members/remove', {
  summary: 'Remove people from an organisation that the caller runs, or leave it',
  access: 'signedIn',
  body: removed,
  returns: json(MembersRemoved),
  ...batch,
})

const changed = {
  params: z.object({ orgId: z.string(), userId: z.string() }),
  query: RoleChangeQuery,
  body: json(z.strictObject({ role: OrgRole })),
  returns: json(OrgMember),
  conditional: true,
  previews: true,
  fails: [404, 409],
} as const
export const putOrgMember = endpoint('PUT', '/passport/admin/orgs/{orgId}/members/{userId}', {
  summary: 'Change what someone is in an organisation',
  access: 'admin',
  ...changed,
})
export const putOwnOrgMember = endpoint('PUT', '/passport/orgs/{orgId}/members/{userId}', {
  summary: 'Change what someone is in an organisation that the caller runs',
  access: 'signedIn',
  ...changed,
})
