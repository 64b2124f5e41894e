import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import type { FieldCode } from './field-codes.ts'
import { parseHomeRealm } from './home-realm.ts'
import { Instant } from './instant.ts'
import { OrgEntra } from './org-entra.ts'
import { action } from './request-body.ts'

const Name = z.nullable(z.string())
const OrgRef = z.nullable(z.object({ id: z.string(), name: z.string() }))

/** What Passport knows: the organisation, and whether its users sign in through its tenant. */
const PassportSide = z
  .object({
    org: OrgRef,
    /** The organisation has verified the domain of the question. */
    domainVerified: z.boolean(),
    consent: OrgEntra.shape.consent,
    signInEnabled: z.boolean(),
  })
  .check(z.meta({ id: 'TenantInPassport' }))

/** A cloud that has the tenant, by the metadata of the tenant's own authority. */
const FoundTenant = z
  .object({
    cloud: z.string(),
    authority: z.url(),
    configured: z.literal(true),
    found: z.literal(true),
    tenantId: z.string(),
    issuer: z.string(),
    /** Null where the registration of Passport in the cloud may not read names of tenants. */
    displayName: Name,
    defaultDomainName: Name,
    federationBrandName: Name,
    /** Such as `EU`; `subScope` is that of a government tenant, such as `GCC`. */
    region: Name,
    subScope: Name,
    cloudInstance: Name,
    graphHost: Name,
    /** `Managed` or `Federated`; null unless the configuration of the cloud enables it. */
    namespaceType: Name,
    endpoints: z.object({ authorization: z.string(), token: z.string(), jwks: z.string() }),
    error: z.null(),
    elapsedMs: z.int(),
    /** The organisation that has the tenant, unless it is deleted. */
    passport: PassportSide,
  })
  .check(z.meta({ id: 'FoundTenant' }))

/** A cloud without the tenant; `found` is null for a cloud that does not answer, or that is not configured. */
const CloudWithoutTenant = z
  .object({
    cloud: z.string(),
    authority: z.url(),
    configured: z.boolean(),
    found: z.nullable(z.literal(false)),
    /** `invalid_tenant`, `other_cloud`, `timeout`, `unreachable`, `answer_invalid`, `not_configured`, or `http_` and the status. */
    error: z.string(),
    elapsedMs: z.int(),
  })
  .check(z.meta({ id: 'CloudWithoutTenant' }))

/** What the clouds of Microsoft Entra and Passport know about a domain or a tenant. */
export const TenantDiscovery = z
  .object({
    /** The domain, or the tenant id, of the question. */
    query: z.string(),
    /** Null for a tenant id. */
    normalizedDomain: Name,
    /** One for each configured cloud, then the documented clouds that are not configured. */
    results: z.array(z.union([FoundTenant, CloudWithoutTenant])),
    /** More than one cloud has a tenant for the domain. */
    ambiguous: z.boolean(),
    /** The organisation that has verified the domain or, for a tenant id, that has the tenant. */
    passport: PassportSide,
    /** When the clouds were asked, at most 10 minutes ago. */
    asOf: Instant,
    /** The last failed sign-ins for the domain, newest first. */
    recentFailures: z.array(z.object({ id: z.string(), at: Instant, idp: Name, reason: Name, supportCode: Name })),
  })
  .check(z.meta({ id: 'TenantDiscovery' }))
export type TenantDiscovery = z.infer<typeof TenantDiscovery>

const TenantQuery = z.object({
  /** A domain name, an email address, of which only the domain is used, or a tenant id. */
  q: z.string().check(
    z.refine((text) => parseHomeRealm(text) !== undefined, {
      error: 'Must be a domain, an email address or a tenant id.',
      params: { code: 'domain-invalid' satisfies FieldCode },
    }),
  ),
  /** Asks the clouds even if their answer is known. */
  refresh: z._default(z.stringbool(), false),
})

export const discoverTenant = endpoint('GET', '/passport/admin/tools/tenantdiscovery', {
  summary: 'Look for the Microsoft Entra tenant of a domain',
  description:
    'Asks every configured cloud, for at most 5 seconds. A cloud that does not answer is a row of the result.',
  access: 'admin',
  query: TenantQuery,
  returns: json(TenantDiscovery),
  waitsForOthers: true,
  rateLimit: { requests: 30, perSeconds: 60, by: 'caller', sharedAs: 'tenant-discovery' },
})

/** The rules of a sign-in in the order in which they are applied. */
const signInRules = ['input', 'organisation', 'tenant', 'enabled', 'cloud', 'provider'] as const
/** Why a sign-in continues with a choice of providers, or with none. */
const signInReasons = [
  'domain-invalid',
  'no-organisation',
  'no-tenant',
  'sign-in-disabled',
  'cloud-not-configured',
] as const

/** Where a sign-in continues after an email address was entered, and which rules decided. */
export const SignInDecision = z
  .object({
    email: z.string(),
    steps: z.array(z.object({ rule: z.enum(signInRules), result: z.string() })),
    /** The id of the identity provider; null for a tenant. */
    provider: Name,
    tenantId: Name,
    org: OrgRef,
    /** `entra`: the tenant of the organisation. `choice`: the user chooses a provider. `refused`: the input is invalid. */
    outcome: z.enum(['entra', 'provider', 'local', 'choice', 'refused']),
    /** Null unless the outcome is `choice` or `refused`. */
    reason: z.nullable(z.enum(signInReasons)),
  })
  .check(z.meta({ id: 'SignInDecision' }))
export type SignInDecision = z.infer<typeof SignInDecision>

/** At most this many sign-ins are simulated in a call. */
export const maxSimulatedSignIns = 200

export const simulateSignIns = endpoint('POST', '/passport/admin/tools/tenantdiscovery/simulate', {
  summary: 'Find out where sign-ins with email addresses lead',
  description: 'Nobody is signed in, and no cloud is asked. Domains and tenant ids are accepted as well.',
  access: 'admin',
  body: action(
    z.object({
      emails: z.array(z.string()).check(z.maxLength(maxSimulatedSignIns)),
    }),
  ),
  returns: json(z.array(SignInDecision)),
})
