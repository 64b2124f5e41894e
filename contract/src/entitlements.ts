import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import type { FieldCode } from './field-codes.ts'
import { Instant, Moment } from './instant.ts'
import { PageQuery, page, sortedBy } from './page.ts'
import { entity, withDefaults } from './request-body.ts'
import { Line, OptionalLine } from './text-fields.ts'

export const maxEntitlementName = 100
export const maxEntitlementDescription = 300
export const maxUnit = 32
export const maxGrantNote = 300
/** The most grants of a call that creates an entitlement. */
export const maxNewGrants = 200
/** The largest quantity of a grant, and of the usage of an hour. */
export const maxQuantity = 2_147_483_647

export const EntitlementKind = z.enum(['flag', 'quantity'])
export type EntitlementKind = z.infer<typeof EntitlementKind>

/** Words of letters a to z and digits that begin with a letter, joined by dots: `stage.seats`. */
export const EntitlementKey = z.string().check(
  z.refine((key) => key.length <= 64 && /^[a-z][a-z0-9]*(\.[a-z0-9]+)*$/.test(key), {
    error:
      'Must be words of letters a to z and digits, joined by dots, such as stage.seats; at most 64 characters, the first a letter.',
    params: { code: 'entitlement-key-invalid' satisfies FieldCode },
  }),
)

const unitRule = { params: { code: 'unit-invalid' satisfies FieldCode }, path: ['unit'] }
/** A flag is not counted. */
export const unitOfQuantity = z.refine<{ kind: EntitlementKind; unit: string | null }>(
  ({ kind, unit }) => kind === 'quantity' || unit === null,
  { error: 'Only a quantity has a unit.', ...unitRule },
)

/** The fields that can change. */
export const changeableFields = {
  name: Line(maxEntitlementName, 'entitlement-name-invalid'),
  description: OptionalLine(maxEntitlementDescription, 'description-invalid'),
  /** What a quantity counts, in the plural: `seats`. */
  unit: z.nullable(Line(maxUnit, 'unit-invalid')),
  /** A disabled entitlement counts nothing, whatever its grants. */
  enabled: z.boolean(),
}

/** The fields of an entitlement, in requests and in the directory file. Key and kind are immutable. */
export const entitlementFields = { key: EntitlementKey, kind: EntitlementKind, ...changeableFields }
export type EntitlementFields = {
  key: string
  kind: EntitlementKind
  name: string
  description: string
  unit: string | null
  enabled: boolean
}

const quantityRule = { params: { code: 'quantity-invalid' satisfies FieldCode } }
const Quantity = z.number().check(
  z.refine((quantity) => Number.isInteger(quantity) && quantity >= 1 && quantity <= maxQuantity, {
    error: `Must be a whole number from 1 to ${maxQuantity}.`,
    ...quantityRule,
  }),
)

/** The fields of a grant that can change. */
const grantFields = {
  /** Required for a quantity; a flag has none. */
  quantity: z.nullable(Quantity),
  startsAt: Moment,
  /** The first instant that is no longer covered; null for no end. */
  endsAt: z.nullable(Moment),
  note: OptionalLine(maxGrantNote, 'description-invalid'),
}
const endsAfterStart = z.refine<{ startsAt?: string | undefined; endsAt: string | null }>(
  ({ startsAt, endsAt }) => startsAt === undefined || endsAt === null || endsAt > startsAt,
  { error: 'Must be after the start.', path: ['endsAt'], params: { code: 'period-invalid' satisfies FieldCode } },
)

/** Where a grant comes from: an administrator, or a subscription of AWS Marketplace. */
export const GrantSource = z.enum(['manual', 'aws'])
export type GrantSource = z.infer<typeof GrantSource>

export const GrantFields = z.object(grantFields).check(endsAfterStart)
export type GrantFields = z.infer<typeof GrantFields>

/** A grant of an entitlement to an organisation. */
export const NewGrant = z
  .object({
    orgId: z.string(),
    ...withDefaults(grantFields, { quantity: null, endsAt: null, note: '' }),
    /** Defaults to now. */
    startsAt: z.optional(Moment),
    source: z._default(GrantSource, 'manual'),
  })
  .check(endsAfterStart)
export type NewGrant = z.infer<typeof NewGrant>

/** What organisations are granted: a flag, or a quantity of a unit. `version` is also the ETag. */
export const Entitlement = z
  .object({
    id: z.string(),
    key: z.string(),
    name: z.string(),
    description: z.string(),
    kind: EntitlementKind,
    unit: z.nullable(z.string()),
    enabled: z.boolean(),
    /** The number of organisations that have it at the moment of the request. */
    orgCount: z.int(),
    /** The quantity of all organisations together; null for a flag. */
    total: z.nullable(z.int()),
    /** The sources of the grants that count. */
    sources: z.array(GrantSource),
    /** The dimensions of products that are sold as this entitlement. */
    mappings: z.array(z.object({ productId: z.string(), productName: z.string(), dimension: z.string() })),
    createdAt: Instant,
    updatedAt: Instant,
    version: z.int(),
  })
  .check(z.meta({ id: 'Entitlement' }))
export type Entitlement = z.infer<typeof Entitlement>

const Effect = z.object({
  org: z.object({ id: z.string(), name: z.string() }),
  /** The number of its members. */
  people: z.int(),
  from: z.union([z.int(), z.boolean()]),
  to: z.union([z.int(), z.boolean()]),
  /** When the value changes; may be in the future. */
  at: Instant,
})
/** The organisations that would have more, or less, of an entitlement by a change. */
export const GrantEffect = z
  .object({ gains: z.array(Effect), loses: z.array(Effect) })
  .check(z.meta({ id: 'GrantEffect' }))
export type GrantEffect = z.infer<typeof GrantEffect>

/** With `preview`, nothing is written and the response is a `GrantEffect`. */
export const GrantChangeQuery = z.object({ preview: z.optional(z.stringbool()) })

const entitlementParams = z.object({ entitlementId: z.string() })
/**
 * The moment of the answer; defaults to now. For a past moment, only what was recorded by then counts; for a future one,
 * the grants as they are now.
 */
const at = z.optional(Moment)

export const listEntitlements = endpoint('GET', '/passport/admin/entitlements', {
  summary: 'List entitlements',
  description: '`query` matches a part of the name or the key. `at` chooses the moment of the counts.',
  access: 'admin',
  query: z.extend(PageQuery, {
    query: z.optional(z.string().check(z.trim(), z.maxLength(100))),
    kind: z.optional(EntitlementKind),
    /** Entitlements with a grant of this source that counts. */
    source: z.optional(GrantSource),
    status: z.optional(z.enum(['enabled', 'disabled'])),
    /** Entitlements that this organisation has. */
    orgId: z.optional(z.string()),
    /** Entitlements as which this product is sold. */
    productId: z.optional(z.string()),
    at,
    ...sortedBy(['name', 'key', 'orgs', 'updated']),
  }),
  returns: json(page(Entitlement)),
})
export const createEntitlement = endpoint('POST', '/passport/admin/entitlements', {
  summary: 'Create an entitlement',
  description: 'It may carry the first grants; all of them are created or none.',
  access: 'admin',
  body: entity(
    z
      .object({
        ...entitlementFields,
        ...withDefaults(changeableFields, { description: '', unit: null, enabled: true }),
        grants: z._default(z.array(NewGrant).check(z.maxLength(maxNewGrants)), []),
      })
      .check(unitOfQuantity),
  ),
  returns: json(Entitlement),
  creates: true,
  fails: [409],
})
export const getEntitlement = endpoint('GET', '/passport/admin/entitlements/{entitlementId}', {
  summary: 'Get an entitlement',
  access: 'admin',
  params: entitlementParams,
  query: z.object({ at }),
  returns: json(Entitlement),
  conditional: true,
  fails: [404],
})
export const putEntitlement = endpoint('PUT', '/passport/admin/entitlements/{entitlementId}', {
  summary: 'Change an entitlement',
  description: 'The key and the kind are immutable. Grants have endpoints of their own.',
  access: 'admin',
  params: entitlementParams,
  query: GrantChangeQuery,
  body: entity(z.object(changeableFields)),
  returns: json(Entitlement),
  conditional: true,
  previews: GrantEffect,
  fails: [404],
})
export const deleteEntitlement = endpoint('DELETE', '/passport/admin/entitlements/{entitlementId}', {
  summary: 'Delete an entitlement',
  description:
    'It can be restored for 30 days with its grants; its ledger is kept. 409 `entitlement-mapped` if a product is sold as it.',
  access: 'admin',
  params: entitlementParams,
  query: GrantChangeQuery,
  conditional: true,
  previews: GrantEffect,
  fails: [404, 409],
})
export const restoreEntitlement = endpoint('POST', '/passport/admin/entitlements/{entitlementId}/restore', {
  summary: 'Restore an entitlement with its grants',
  access: 'admin',
  params: entitlementParams,
  returns: json(Entitlement),
  conditional: true,
  fails: [404],
})
