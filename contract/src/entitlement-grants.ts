import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import { EntitlementKind, GrantChangeQuery, GrantEffect, GrantFields, GrantSource, NewGrant } from './entitlements.ts'
import { Instant, Moment } from './instant.ts'
import { CursorQuery, cursorPage, PageQuery, page } from './page.ts'
import { entity } from './request-body.ts'

/** The most points of a chart of totals. */
export const maxTotalPoints = 400

const NamedRecord = z.object({ id: z.string(), name: z.string() })
const GrantStatus = z.enum(['scheduled', 'active', 'ended'])
export type GrantStatus = z.infer<typeof GrantStatus>

/** A grant of an entitlement to an organisation. `version` is also the ETag. */
export const Grant = z
  .object({
    id: z.string(),
    entitlementId: z.string(),
    org: NamedRecord,
    /** Null for a flag. */
    quantity: z.nullable(z.int()),
    source: GrantSource,
    /** The subscription that the grant follows, and its product. */
    subscriptionId: z.nullable(z.string()),
    productName: z.nullable(z.string()),
    startsAt: Instant,
    /** The first instant that is no longer covered; null for no end. */
    endsAt: z.nullable(Instant),
    /** At the moment of the request. A disabled entitlement counts nothing, whatever the status of its grants. */
    status: GrantStatus,
    /** The subscription ends soon: the buyer cancelled it. */
    ending: z.boolean(),
    /** The usage of the organisation since the start of the grant; null if none was reported. */
    used: z.nullable(z.int()),
    note: z.string(),
    version: z.int(),
  })
  .check(z.meta({ id: 'Grant' }))
export type Grant = z.infer<typeof Grant>

const entitlementParams = z.object({ entitlementId: z.string() })
const grantParams = z.object({ entitlementId: z.string(), grantId: z.string() })
const change = { access: 'admin', query: GrantChangeQuery, previews: GrantEffect } as const

export const listGrants = endpoint('GET', '/passport/admin/entitlements/{entitlementId}/grants', {
  summary: 'List the grants of an entitlement, by organisation',
  description:
    'Without `status`, those that are active or scheduled at the moment `at`. A past moment has the grants as they were recorded then.',
  access: 'admin',
  params: entitlementParams,
  query: z.extend(PageQuery, {
    at: z.optional(Moment),
    status: z.optional(GrantStatus),
    source: z.optional(GrantSource),
    /** A part of the name of the organisation. */
    query: z.optional(z.string().check(z.trim(), z.maxLength(100))),
  }),
  returns: json(page(Grant)),
  fails: [404],
})
export const createGrant = endpoint('POST', '/passport/admin/entitlements/{entitlementId}/grants', {
  summary: 'Grant an entitlement to an organisation',
  ...change,
  params: entitlementParams,
  body: entity(NewGrant),
  returns: json(Grant),
  creates: true,
  fails: [404, 409],
})
export const getGrant = endpoint('GET', '/passport/admin/entitlements/{entitlementId}/grants/{grantId}', {
  summary: 'Get a grant',
  access: 'admin',
  params: grantParams,
  returns: json(Grant),
  conditional: true,
  fails: [404],
})
export const putGrant = endpoint('PUT', '/passport/admin/entitlements/{entitlementId}/grants/{grantId}', {
  summary: 'Change the quantity, period and note of a grant',
  description: '409 `grant-from-aws` for a grant that follows a subscription.',
  ...change,
  params: grantParams,
  body: entity(GrantFields),
  returns: json(Grant),
  conditional: true,
  fails: [404, 409],
})
export const closeGrant = endpoint('DELETE', '/passport/admin/entitlements/{entitlementId}/grants/{grantId}', {
  summary: 'End a grant now',
  description: 'It remains in the list of ended grants. 409 `grant-from-aws` for a grant that follows a subscription.',
  ...change,
  params: grantParams,
  conditional: true,
  fails: [404, 409],
})

/** An entry of the ledger: a change of an entitlement or of a grant, with the state after it. */
export const LedgerEntry = z
  .object({
    sequence: z.int(),
    recordedAt: Instant,
    /** One of the actions that `listLedger` names. */
    action: z.string(),
    /** Null for the system. */
    actor: z.nullable(NamedRecord),
    /** Null for an entry about the entitlement itself. */
    grantId: z.nullable(z.string()),
    org: z.nullable(NamedRecord),
    source: z.nullable(GrantSource),
    subscriptionId: z.nullable(z.string()),
    quantity: z.nullable(z.int()),
    startsAt: z.nullable(Instant),
    endsAt: z.nullable(Instant),
    /** Whether the grant counts in its period, and the entitlement at all. */
    counts: z.boolean(),
    /** The state of the grant before; null for a new one. */
    before: z.nullable(
      z.object({ quantity: z.nullable(z.int()), startsAt: z.nullable(Instant), endsAt: z.nullable(Instant) }),
    ),
  })
  .check(z.meta({ id: 'LedgerEntry' }))
export type LedgerEntry = z.infer<typeof LedgerEntry>

export const listLedger = endpoint('GET', '/passport/admin/entitlements/{entitlementId}/ledger', {
  summary: 'List the ledger of an entitlement, newest first',
  description:
    'Actions of the entitlement: `created`, `enabled`, `disabled`, `deleted`, `restored`; of grants: `granted`, `changed`, `closed`, `org-deleted`, `org-restored`.',
  access: 'admin',
  params: entitlementParams,
  query: z.extend(CursorQuery, {
    /** The entries of one organisation. */
    orgId: z.optional(z.string()),
  }),
  returns: json(cursorPage(LedgerEntry)),
  fails: [404],
})

export const listTotals = endpoint('GET', '/passport/admin/entitlements/{entitlementId}/totals', {
  summary: 'List the totals of an entitlement over time',
  description: `The total from each point to the next, for a flag the number of organisations. At most ${maxTotalPoints} points, the first at \`from\`.`,
  access: 'admin',
  params: entitlementParams,
  query: z.object({
    /** Defaults to a year before `to`. */
    from: z.optional(Moment),
    /** Defaults to now. */
    to: z.optional(Moment),
  }),
  returns: json(z.array(z.object({ at: Instant, total: z.int() }))),
  fails: [404],
})

/** An entitlement of an organisation with its grants. */
export const OrgEntitlement = z
  .object({
    id: z.string(),
    key: z.string(),
    name: z.string(),
    kind: EntitlementKind,
    unit: z.nullable(z.string()),
    enabled: z.boolean(),
    /** The effective value at the moment of the request. */
    value: z.union([z.int(), z.boolean()]),
    /** The active and scheduled grants. */
    grants: z.array(Grant),
  })
  .check(z.meta({ id: 'OrgEntitlement' }))
export type OrgEntitlement = z.infer<typeof OrgEntitlement>

export const listOrgEntitlements = endpoint('GET', '/passport/admin/orgs/{orgId}/entitlements', {
  summary: 'List the entitlements of an organisation, by name',
  access: 'admin',
  params: z.object({ orgId: z.string() }),
  query: z.object({ at: z.optional(Moment) }),
  returns: json(z.array(OrgEntitlement)),
  fails: [404],
})

/** An entitlement of a user, through their organisations. */
export const EffectiveEntitlement = z
  .object({
    key: z.string(),
    name: z.string(),
    kind: EntitlementKind,
    unit: z.nullable(z.string()),
    /** For a quantity, the sum of all organisations; true if it has no limit, such as a metered one. */
    value: z.union([z.int(), z.boolean()]),
    orgs: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        value: z.union([z.int(), z.boolean()]),
        /** When the value falls, unless a grant changes; null for never. */
        endsAt: z.nullable(Instant),
        /** The subscription was cancelled, and still counts until `endsAt`. */
        ending: z.optional(z.literal(true)),
      }),
    ),
  })
  .check(z.meta({ id: 'EffectiveEntitlement' }))
export type EffectiveEntitlement = z.infer<typeof EffectiveEntitlement>

export const listOwnEntitlements = endpoint('GET', '/passport/entitlements/me', {
  summary: "List the caller's entitlements, by key",
  description:
    'Those of the organisations of which the caller is a member now. `at` chooses another moment of their grants.',
  access: 'signedIn',
  bearer: true,
  query: z.object({ at: z.optional(Moment) }),
  returns: json(z.array(EffectiveEntitlement)),
})
