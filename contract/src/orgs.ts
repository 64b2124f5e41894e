import * as z from 'zod/mini'
import { DomainName } from './domain-name.ts'
import { endpoint, json } from './endpoint.ts'
import type { FieldCode } from './field-codes.ts'
import { Instant } from './instant.ts'
import { OrgDomain } from './org-domains.ts'
import { OrgEntra, OrgEntraSummary } from './org-entra.ts'
import { PageQuery, page } from './page.ts'
import { action, entity } from './request-body.ts'
import { RoleChangeQuery } from './role-effect.ts'
import { Line } from './text-fields.ts'

/** The role of a member in an organisation: owners and admins manage it, and only owners appoint owners. */
export const OrgRole = z.enum(['owner', 'admin', 'member'])
export type OrgRole = z.infer<typeof OrgRole>

export const maxOrgName = 128
export const OrgName = Line(maxOrgName, 'name-invalid')

/** The URL name of an organisation. */
export const Slug = z.string().check(
  z.overwrite((slug) => slug.trim().toLowerCase()),
  z.refine((slug) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(slug), {
    error: 'Must be 1 to 63 letters a to z, digits and hyphens, without a hyphen at either end.',
    params: { code: 'slug-invalid' satisfies FieldCode },
  }),
)

/** The editable fields, in requests and in the directory file. */
export const orgFields = { slug: Slug, name: OrgName }
export const OrgFields = z.object(orgFields)
export type OrgFields = z.infer<typeof OrgFields>

const fieldNames = Object.keys(orgFields) as (keyof OrgFields)[]

/** Picks the editable fields of an organisation. */
export const toOrgFields = (org: OrgFields): OrgFields =>
  Object.fromEntries(fieldNames.map((name) => [name, org[name]])) as OrgFields

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

/** An organisation in a list; `domains` are the verified ones. */
export const OrgSummary = z
  .object({ ...summary, domains: z.array(z.string()), entra: z.optional(OrgEntraSummary) })
  .check(z.meta({ id: 'OrgSummary' }))
export type OrgSummary = z.infer<typeof OrgSummary>

/** An organisation with all its domains. An Entra organisation has the tenant through which its users sign in. */
export const Org = z
  .object({ ...summary, domains: z.array(OrgDomain), entra: z.optional(OrgEntra) })
  .check(z.meta({ id: 'Org' }))
export type Org = z.infer<typeof Org>

/** A member of an organisation; `since` is when they joined. */
export const OrgMember = z
  .object({
    id: z.string(),
    name: z.string(),
    username: z.nullable(z.string()),
    avatarPngUrl: z.nullable(z.string()),
    role: OrgRole,
    since: Instant,
  })
  .check(z.meta({ id: 'OrgMember' }))
export type OrgMember = z.infer<typeof OrgMember>

const orgParams = z.object({ orgId: z.string() })
const search = z.optional(z.string().check(z.maxLength(100)))

const OrgsQuery = z.extend(PageQuery, {
  /** Word prefixes of the name or the slug, an id, or the id of a tenant. */
  query: search,
  /** A leading hyphen sorts in descending order. */
  sort: z._default(z.enum(['name', '-name', 'created', '-created', 'members', '-members']), 'name'),
})

export const listOrgs = endpoint('GET', '/passport/admin/orgs', {
  summary: 'List organisations',
  access: 'admin',
  query: OrgsQuery,
  returns: json(page(OrgSummary)),
})
/** Derives a missing slug from the name. Domains start as pending. */
export const createOrg = endpoint('POST', '/passport/admin/orgs', {
  summary: 'Create an organisation',
  access: 'admin',
  body: entity(
    z.object({
      ...orgFields,
      slug: z.optional(Slug),
      domains: z.optional(z.array(DomainName).check(z.maxLength(20))),
    }),
  ),
  returns: json(Org),
  creates: true,
  fails: [409],
})

const getOptions = { params: orgParams, returns: json(Org), conditional: true, fails: [404] } as const
export const getOrg = endpoint('GET', '/passport/admin/orgs/{orgId}', {
  summary: 'Get an organisation',
  access: 'admin',
  ...getOptions,
})
export const getOwnOrg = endpoint('GET', '/passport/orgs/{orgId}', {
  summary: 'Get an organisation the caller manages',
  access: 'signedIn',
  ...getOptions,
})

export const putOrg = endpoint('PUT', '/passport/admin/orgs/{orgId}', {
  summary: 'Update the name and slug of an organisation',
  access: 'admin',
  params: orgParams,
  body: entity(OrgFields),
  returns: json(Org),
  conditional: true,
  fails: [404, 409],
})
/** Also deletes its groups, and with them the roles that they grant. */
export const deleteOrg = endpoint('DELETE', '/passport/admin/orgs/{orgId}', {
  summary: 'Delete an organisation and its groups',
  description: 'They can be restored for 30 days.',
  access: 'admin',
  params: orgParams,
  query: RoleChangeQuery,
  conditional: true,
  previews: true,
  fails: [404, 409],
})
/** After 409 `slug-taken`, send another slug. */
export const restoreOrg = endpoint('POST', '/passport/admin/orgs/{orgId}/restore', {
  summary: 'Restore an organisation with its members and groups',
  access: 'admin',
  recent: { ifGivesRoles: true },
  params: orgParams,
  query: RoleChangeQuery,
  body: action(z.object({ slug: z.optional(Slug) }), { isOptional: true }),
  returns: json(Org),
  conditional: true,
  previews: true,
  fails: [404, 409],
})

const memberList = {
  params: orgParams,
  query: z.extend(PageQuery, { query: search, role: z.optional(OrgRole) }),
  returns: json(page(OrgMember)),
  fails: [404],
} as const
export const listOrgMembers = endpoint('GET', '/passport/admin/orgs/{orgId}/members', {
  summary: 'List the members of an organisation',
  description: 'Each has a role (owner, admin or member) and the time of joining.',
  access: 'admin',
  ...memberList,
})
export const listOwnOrgMembers = endpoint('GET', '/passport/orgs/{orgId}/members', {
  summary: 'List members of an organisation the caller manages',
  access: 'signedIn',
  ...memberList,
})

const members = z.array(z.string()).check(z.minLength(1), z.maxLength(200))

/** The effect of a change; users who were members already or, on removal, were not are `unchanged`. */
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

/** `were` has the former roles of the removed members, so that the removal can be undone. */
const MembersRemoved = z
  .object({ ...MembersChanged.shape, were: z.array(z.object({ id: z.string(), role: OrgRole })) })
  .check(z.meta({ id: 'OrgMembersRemoved' }))
export type MembersRemoved = z.infer<typeof MembersRemoved>

/** The effect of a preview is empty, since no role depends on the membership of an organisation. */
const membershipChange = {
  params: orgParams,
  query: RoleChangeQuery,
  conditional: true,
  previews: true,
  fails: [404, 409],
} as const
/** Making owners needs a recent authentication, since an owner can hand over the set-up of the organisation. */
const addition = {
  ...membershipChange,
  recent: { ifGivesRoles: true },
  body: action(z.object({ members, role: z._default(OrgRole, 'member') })),
  returns: json(MembersChanged),
} as const
const removeBody = action(z.object({ members }))

/** Existing members keep their role. */
export const addOrgMembers = endpoint('POST', '/passport/admin/orgs/{orgId}/members/add', {
  summary: 'Add members to an organisation',
  description: 'Adds all of them or none.',
  access: 'admin',
  ...addition,
})
export const addOwnOrgMembers = endpoint('POST', '/passport/orgs/{orgId}/members/add', {
  summary: 'Add members to an organisation the caller manages',
  description: 'Adds all of them or none.',
  access: 'signedIn',
  ...addition,
})
export const removeOrgMembers = endpoint('POST', '/passport/admin/orgs/{orgId}/members/remove', {
  summary: 'Remove members from an organisation',
  description: 'Removes all of them or none.',
  access: 'admin',
  body: removeBody,
  returns: json(MembersRemoved),
  ...membershipChange,
})
/** Any member may remove themselves. */
export const removeOwnOrgMembers = endpoint('POST', '/passport/orgs/{orgId}/members/remove', {
  summary: "Remove members from the caller's organisation, or leave it",
  description: 'Removes all of them or none.',
  access: 'signedIn',
  body: removeBody,
  returns: json(MembersRemoved),
  ...membershipChange,
})

const memberChange = {
  recent: { ifGivesRoles: true },
  params: z.object({ orgId: z.string(), userId: z.string() }),
  query: RoleChangeQuery,
  body: action(z.object({ role: OrgRole })),
  returns: json(OrgMember),
  conditional: true,
  previews: true,
  fails: [404, 409],
} as const
export const putOrgMember = endpoint('PUT', '/passport/admin/orgs/{orgId}/members/{userId}', {
  summary: "Change a member's role in an organisation",
  access: 'admin',
  ...memberChange,
})
export const putOwnOrgMember = endpoint('PUT', '/passport/orgs/{orgId}/members/{userId}', {
  summary: "Change a member's role in an organisation the caller manages",
  access: 'signedIn',
  ...memberChange,
})
