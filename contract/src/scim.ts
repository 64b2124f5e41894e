import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import { exactlyOne } from './exactly-one.ts'
import { Instant } from './instant.ts'
import { CursorQuery, cursorPage } from './page.ts'
import { entity } from './request-body.ts'
import { Line } from './text-fields.ts'

/** The most live SCIM tokens of an organisation: the current one, and the next one while clients change over. */
export const maxScimTokens = 2
/** The maximum lifetime of a SCIM token, in days. */
export const maxScimTokenDays = 730
export const maxScimTokenName = 64
/** The requests of an organisation that the log keeps, and for how many days. */
export const maxScimRequests = 200
export const scimRequestDays = 30

/** A token with which the identity provider of a customer provisions users and groups of an organisation. */
export const ScimToken = z
  .object({
    id: z.string(),
    name: z.string(),
    /** The first characters of the value, by which an administrator recognises it: `psc_Yk3x`. */
    start: z.string(),
    createdAt: Instant,
    /** The user who created it; null if the customer did so by a set-up link. */
    createdBy: z.nullable(z.object({ id: z.string(), name: z.string() })),
    /** Created by a set-up link. */
    fromSetupLink: z.boolean(),
    expiresAt: Instant,
    /** `expired` and `revoked` tokens are listed for 30 days. */
    state: z.enum(['live', 'expired', 'revoked']),
    /** Accurate to a minute; null if the token was never used. */
    lastUse: z.nullable(z.object({ at: Instant, ip: z.string() })),
  })
  .check(z.meta({ id: 'ScimToken' }))
export type ScimToken = z.infer<typeof ScimToken>

/** A new SCIM token with its value. */
export const CreatedScimToken = z
  .object({ token: ScimToken, value: z.string() })
  .check(z.meta({ id: 'CreatedScimToken' }))
export type CreatedScimToken = z.infer<typeof CreatedScimToken>

/** The provisioning of an organisation by SCIM. */
export const Provisioning = z
  .object({
    /** The address to enter at the identity provider as the tenant URL. */
    url: z.string(),
    /** Newest first. */
    tokens: z.array(ScimToken),
    counts: z.object({
      /** Users whose accounts SCIM governs, or only their membership and login. */
      users: z.int(),
      /** Of these users: those that SCIM has deactivated. */
      inactive: z.int(),
      /** Of these users: those of whom SCIM governs only the membership and the login. */
      membershipOnly: z.int(),
      groups: z.int(),
    }),
    lastRequestAt: z.nullable(Instant),
  })
  .check(z.meta({ id: 'Provisioning' }))
export type Provisioning = z.infer<typeof Provisioning>

export const NewScimToken = z.object({
  name: Line(maxScimTokenName, 'scim-token-name-invalid'),
  expiresInDays: z.int().check(z.minimum(1), z.maximum(maxScimTokenDays)),
})
export type NewScimToken = z.infer<typeof NewScimToken>

/** A request of a SCIM client, without its bodies. Local parts of email addresses, tokens and passwords are redacted. */
const request = {
  id: z.string(),
  at: Instant,
  method: z.string(),
  /** From `Users` or `Groups` on, with the query. */
  path: z.string(),
  status: z.int(),
  durationMs: z.int(),
  /** The token of the request; null if it was purged since. */
  token: z.nullable(z.object({ id: z.string(), name: z.string() })),
  /** What is wrong: `scimType` of RFC 7644 if there is one, the sentence of the response, and how to correct it. */
  error: z.nullable(z.object({ scimType: z.nullable(z.string()), detail: z.string(), help: z.nullable(z.string()) })),
  /** What the request did other than its sender may expect, such as ending a membership instead of deleting a user. */
  notes: z.array(z.string()),
}
export const ScimRequest = z.object(request).check(z.meta({ id: 'ScimRequest' }))
export type ScimRequest = z.infer<typeof ScimRequest>

/** A request with its redacted bodies, of which at most 8 KiB each are kept. */
export const ScimRequestDetails = z
  .object({
    ...request,
    requestBody: z.nullable(z.string()),
    responseBody: z.nullable(z.string()),
    ip: z.string(),
    userAgent: z.string(),
    traceId: z.string(),
  })
  .check(z.meta({ id: 'ScimRequestDetails' }))
export type ScimRequestDetails = z.infer<typeof ScimRequestDetails>

/** What a DELETE of a user or a group by a SCIM client would do. */
export const ScimDeletion = z
  .object({
    kind: z.enum(['user', 'group']),
    id: z.string(),
    name: z.string(),
    /**
     * `trash`: moved to the trash. `membership`: the user leaves the organisation and loses the login at its tenant.
     * `refused`: the client gets 404, since SCIM does not govern the record.
     */
    outcome: z.enum(['trash', 'membership', 'refused']),
    /** Why SCIM governs only the membership, or nothing. */
    reasons: z.array(z.enum(['not-provisioned', 'adopted', 'other-login', 'other-org', 'global-role'])),
    /** One sentence that says the effect. */
    sentence: z.string(),
    /** What ends at once. `members` is 0 for a user; a group has no sessions. */
    ends: z.object({ sessions: z.int(), groups: z.int(), roles: z.array(z.string()), members: z.int() }),
    /** How long it can be restored, in days; null if there is nothing to restore. */
    restorableDays: z.nullable(z.int()),
  })
  .check(z.meta({ id: 'ScimDeletion' }))
export type ScimDeletion = z.infer<typeof ScimDeletion>

const orgParams = z.object({ orgId: z.string() })

/** Organisations without a tenant of Microsoft Entra have no provisioning: 404 `entra-not-linked`. */
export const getProvisioning = endpoint('GET', '/passport/admin/orgs/{orgId}/scim', {
  summary: 'Get the provisioning of an organisation by SCIM',
  access: 'admin',
  polled: true,
  params: orgParams,
  returns: json(Provisioning),
  fails: [404],
})

/** Fails with 409 `too-many-scim-tokens`, and with 404 `entra-not-linked`. */
export const createScimToken = endpoint('POST', '/passport/admin/orgs/{orgId}/scim/tokens', {
  summary: 'Create a SCIM token',
  description: `The value is returned only once. An organisation has at most ${maxScimTokens} live tokens.`,
  access: 'admin',
  recent: true,
  params: orgParams,
  body: entity(NewScimToken),
  returns: json(CreatedScimToken),
  creates: true,
  fails: [404, 409],
})

export const revokeScimToken = endpoint('DELETE', '/passport/admin/orgs/{orgId}/scim/tokens/{tokenId}', {
  summary: 'Revoke a SCIM token',
  access: 'admin',
  recent: true,
  params: z.extend(orgParams, { tokenId: z.string() }),
  fails: [404],
})

export const listScimRequests = endpoint('GET', '/passport/admin/orgs/{orgId}/scim/requests', {
  summary: 'List the requests of SCIM clients, newest first',
  description: `Keeps the last ${maxScimRequests} requests of an organisation, for ${scimRequestDays} days.`,
  access: 'admin',
  polled: true,
  params: orgParams,
  query: z.extend(CursorQuery, { outcome: z.optional(z.enum(['failed', 'succeeded'])) }),
  returns: json(cursorPage(ScimRequest)),
  fails: [404],
})

export const getScimRequest = endpoint('GET', '/passport/admin/orgs/{orgId}/scim/requests/{requestId}', {
  summary: 'Get a request of a SCIM client with its bodies',
  access: 'admin',
  params: z.extend(orgParams, { requestId: z.string() }),
  returns: json(ScimRequestDetails),
  fails: [404],
})

/** One of the parameters is required. */
export const previewScimDeletion = endpoint('GET', '/passport/admin/orgs/{orgId}/scim/deletion', {
  summary: 'Get what a deletion by a SCIM client would do',
  access: 'admin',
  params: orgParams,
  query: z
    .object({ userId: z.optional(z.string()), groupId: z.optional(z.string()) })
    .check(exactlyOne('userId', 'groupId')),
  returns: json(ScimDeletion),
  fails: [404],
})
