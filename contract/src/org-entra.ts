import * as z from 'zod/mini'
import { exactlyOne } from './exactly-one.ts'
import type { FieldCode } from './field-codes.ts'
import { Instant } from './instant.ts'

/** The tenant of personal Microsoft accounts, which belongs to no organisation. */
export const consumerTenantId = '9188040d-6c67-4c5b-b112-36a304b66dad'

/** A GUID, such as the id of a tenant or of a group of Microsoft Entra, in lower case. */
export const Guid = z.string().check(
  z.overwrite((text) => text.trim().toLowerCase()),
  z.refine((text) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text), {
    error: 'Must be a GUID, such as 72f988bf-86f1-41af-91ab-2d7cd011db47.',
    params: { code: 'guid-invalid' satisfies FieldCode },
  }),
)

const maxAppRole = 120
/** The value of an app role, as Microsoft Entra allows it. */
export const AppRole = z.string().check(
  z.refine((text) => text.length <= maxAppRole && /^[\x21-\x7e]+$/.test(text), {
    error: `Must be 1 to ${maxAppRole} letters, digits and signs without spaces.`,
    params: { code: 'app-role-invalid' satisfies FieldCode },
  }),
)

/** At most this many mappings of an organisation. */
export const maxMappings = 100

/**
 * What members of a group of the tenant, or users with an app role, have here: membership in a group, or a role. One of
 * `groupObjectId` and `appRole` is set, and one of `groupId` and `role`.
 */
export const EntraMapping = z
  .object({
    /** The object id of a group of the tenant. */
    groupObjectId: z.exactOptional(Guid),
    /** The value of an app role of the tenant's enterprise application. */
    appRole: z.exactOptional(AppRole),
    groupId: z.exactOptional(z.string().check(z.minLength(1), z.maxLength(100))),
    role: z.exactOptional(z.string().check(z.minLength(1), z.maxLength(100))),
  })
  .check(exactlyOne('groupObjectId', 'appRole'), exactlyOne('groupId', 'role'), z.meta({ id: 'EntraMapping' }))
export type EntraMapping = z.infer<typeof EntraMapping>

/** The reasons why a consent was not accepted. */
export const consentFailures = [
  'consent-denied',
  'state-unknown',
  'state-expired',
  'state-used',
  'tenant-mismatch',
  'proof-failed',
] as const
export type ConsentFailure = (typeof consentFailures)[number]

const state = {
  consent: z.enum(['none', 'pending', 'granted', 'revoked']),
  signInEnabled: z.boolean(),
}

/**
 * The tenant of Microsoft Entra that belongs to an organisation. `consent` is `granted` only once Passport has read the
 * tenant's own record with a token of that tenant.
 */
export const OrgEntra = z
  .object({
    tenantId: z.string(),
    /** The id of the cloud in the configuration. */
    cloud: z.string(),
    displayName: z.string(),
    defaultDomain: z.nullable(z.string()),
    ...state,
    consentedAt: z.nullable(Instant),
    /** The expiry of the last consent link, which can be in the past; null once it was used. */
    consentLinkExpiresAt: z.nullable(Instant),
    /** Why the last consent link failed; `permission` is the missing one. Null after a new link, or consent. */
    consentFailure: z.nullable(
      z.object({ code: z.enum(consentFailures), permission: z.nullable(z.string()), at: Instant }),
    ),
    /** Verified domains of the tenant that the organisation did not get, as of the last consent. */
    rejectedDomains: z.array(z.object({ domain: z.string(), reason: z.enum(['taken', 'public']) })),
    /** The last successful test sign-in; null requires one before sign-in can be enabled. */
    testedAt: z.nullable(Instant),
    /** Guests of the tenant may sign in. */
    allowGuests: z.boolean(),
    mappings: z.array(EntraMapping),
  })
  .check(z.meta({ id: 'OrgEntra' }))
export type OrgEntra = z.infer<typeof OrgEntra>

/** The tenant of an organisation in a list; `pending` waits for consent. */
export const OrgEntraSummary = z.object(state)
