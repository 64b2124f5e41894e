import * as z from 'zod/mini'
import { domainOfEmail, parseDomainName } from './domain-name.ts'
import { endpoint, json } from './endpoint.ts'
import { exactlyOne } from './exactly-one.ts'
import type { FieldCode } from './field-codes.ts'
import { Instant } from './instant.ts'
import { EntraMapping, Guid, maxMappings, OrgEntra } from './org-entra.ts'
import { Org, OrgName } from './orgs.ts'
import { entity } from './request-body.ts'
import { RoleChangeQuery } from './role-effect.ts'

/** The minutes in which an administrator of the tenant can use a consent link. */
export const consentLinkMinutes = 60

const findDomain = (text: string) => (text.includes('@') ? domainOfEmail(text.trim()) : parseDomainName(text))
/** A domain name, or an email address, of which only the domain is used. */
const DomainOrEmail = z.string().check(
  z.overwrite((text) => findDomain(text) ?? text),
  z.refine((text) => findDomain(text) !== undefined, {
    error: 'Must be a domain name or an email address, such as example.com.',
    params: { code: 'domain-invalid' satisfies FieldCode },
  }),
)

/** A tenant by one of its domains or by its id; `cloud` is required if several clouds have it. */
const NewEntraOrg = z
  .object({
    domain: z.optional(DomainOrEmail),
    tenantId: z.optional(Guid),
    cloud: z.optional(z.string().check(z.maxLength(64))),
    /** Defaults to the tenant's name. */
    name: z.optional(OrgName),
  })
  .check(exactlyOne('domain', 'tenantId'))

/** A link that asks an administrator of the tenant for consent. It works once. */
const consentLink = { consentUrl: z.url(), expiresAt: Instant }
export const ConsentLink = z.object(consentLink).check(z.meta({ id: 'EntraConsentLink' }))
export type ConsentLink = z.infer<typeof ConsentLink>

/** An organisation that was just created, with its first consent link. */
const CreatedEntraOrg = z.object({ org: Org, ...consentLink }).check(z.meta({ id: 'CreatedEntraOrg' }))
export type CreatedEntraOrg = z.infer<typeof CreatedEntraOrg>

/** The settings of a tenant that an administrator edits. */
const EntraSettings = z.object({
  allowGuests: z.boolean(),
  mappings: z.array(EntraMapping).check(z.maxLength(maxMappings)),
})
export type EntraSettings = z.infer<typeof EntraSettings>

const orgParams = z.object({ orgId: z.string() })

/**
 * Fails with 409 `tenant-ambiguous` and the ids in `clouds` if several clouds have the domain, and with 409
 * `tenant-already-linked` and `orgId` if the tenant belongs to an organisation, even one in the trash.
 */
export const createEntraOrg = endpoint('POST', '/passport/admin/orgs/entra', {
  summary: 'Create an organisation from a Microsoft Entra tenant',
  description: 'Returns the link at which an administrator of the tenant consents. It works once, for an hour.',
  access: 'admin',
  body: entity(NewEntraOrg),
  returns: json(CreatedEntraOrg),
  creates: true,
  waitsForOthers: true,
  fails: [404, 409, 501],
})
/** For a page that waits for the consent. */
export const getOrgEntra = endpoint('GET', '/passport/admin/orgs/{orgId}/entra', {
  summary: 'Get the Microsoft Entra tenant of an organisation',
  access: 'admin',
  polled: true,
  params: orgParams,
  returns: json(OrgEntra),
  conditional: true,
  fails: [404],
})
export const createConsentLink = endpoint('POST', '/passport/admin/orgs/{orgId}/entra/consentlink', {
  summary: 'Create a consent link for the tenant',
  description: 'Ends the former link.',
  access: 'admin',
  params: orgParams,
  returns: json(ConsentLink),
  fails: [404, 409],
})
/**
 * If-Match is compared with the version of the organisation. Fails with 409 `group-carries-role` for a group with a
 * built-in role.
 */
export const putEntra = endpoint('PUT', '/passport/admin/orgs/{orgId}/entra', {
  summary: 'Replace the mappings and guest settings of a tenant',
  description: 'Built-in roles cannot be the target of a mapping. Mappings apply to signed-in users at once.',
  access: 'admin',
  recent: true,
  params: orgParams,
  query: RoleChangeQuery,
  body: entity(EntraSettings),
  returns: json(Org),
  conditional: true,
  previews: true,
  fails: [404, 409],
})

/**
 * The test ends on the page of the organisation, with `?test=passed`, or `?test=failed` with `code` and `support`. It
 * counts only in the same session. A passed test has `address=unverified` if the user's email address is at no verified
 * domain of the organisation, and `address=missing` without one.
 */
export const startEntraTest = endpoint('POST', '/passport/admin/orgs/{orgId}/entra/actions/testsignin', {
  summary: 'Start a test of the sign-in through a tenant',
  description: 'Returns the URL to open in the browser. The test creates no session, account or membership.',
  access: 'admin',
  waitsForOthers: true,
  params: orgParams,
  returns: json(z.object({ url: z.url() })),
  fails: [404, 409, 502],
})

const action = { access: 'admin', params: orgParams, returns: json(Org), conditional: true, fails: [404, 409] } as const
/** Fails with 409 `test-missing` until a test sign-in succeeded since the last change, and with 409 `consent-missing`. */
export const enableEntra = endpoint('POST', '/passport/admin/orgs/{orgId}/entra/actions/enable', {
  summary: 'Enable sign-in through a tenant',
  ...action,
  recent: { ifGivesRoles: true },
})
export const disableEntra = endpoint('POST', '/passport/admin/orgs/{orgId}/entra/actions/disable', {
  summary: 'Disable sign-in through a tenant',
  description: 'Ends the sessions and refresh tokens of its users.',
  ...action,
})
