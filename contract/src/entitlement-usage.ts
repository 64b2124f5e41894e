import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import { EntitlementKey, maxQuantity } from './entitlements.ts'
import type { FieldCode } from './field-codes.ts'
import { Instant, Moment } from './instant.ts'
import { CursorQuery, cursorPage } from './page.ts'
import { action } from './request-body.ts'

/** The oldest usage that is accepted, in hours. */
export const maxUsageHours = 24
/** An hour accepts usage until this many minutes after its end; later usage counts in the first open hour. */
export const closingMinutes = 15

/** Usage of a quantity by an organisation. */
const UsageReport = z.object({
  orgId: z.string(),
  quantity: z.number().check(
    z.refine((quantity) => Number.isInteger(quantity) && quantity >= 0 && quantity <= maxQuantity, {
      error: `Must be a whole number from 0 to ${maxQuantity}.`,
      params: { code: 'quantity-invalid' satisfies FieldCode },
    }),
  ),
  /** Defaults to now. */
  at: z.optional(Moment),
})

const hour = {
  orgId: z.string(),
  /** The beginning of the hour, in UTC. */
  hour: Instant,
  /** All usage of the hour for this subscription so far. */
  quantity: z.int(),
  /** The subscription that is billed; null for none. It never changes. */
  subscriptionId: z.nullable(z.string()),
}
/** The hour in which reported usage was counted. */
export const CountedUsage = z.object(hour).check(z.meta({ id: 'CountedUsage' }))
export type CountedUsage = z.infer<typeof CountedUsage>

export const reportUsage = endpoint('POST', '/passport/entitlements/{key}/usage', {
  summary: 'Report usage of an entitlement',
  description: `Adds to the hour of \`at\`. An hour closes ${closingMinutes} minutes after its end; later usage counts in the first open hour. 400 \`usage-too-old\` beyond ${maxUsageHours} hours.`,
  access: 'admin',
  scope: 'entitlements.write',
  params: z.object({ key: EntitlementKey }),
  body: action(UsageReport),
  returns: json(CountedUsage),
  creates: true,
  needsIdempotencyKey: true,
  fails: [404],
})

/** The usage of an entitlement by an organisation in one hour, for one subscription. */
export const UsageHour = z
  .object({
    id: z.string(),
    ...hour,
    orgName: z.string(),
    productName: z.nullable(z.string()),
    /** The number of reports. */
    reports: z.int(),
    /** Since when the quantity is final; null while the hour is open. */
    closedAt: z.nullable(Instant),
    updatedAt: Instant,
  })
  .check(z.meta({ id: 'UsageHour' }))
export type UsageHour = z.infer<typeof UsageHour>

export const listUsage = endpoint('GET', '/passport/admin/entitlements/{entitlementId}/usage', {
  summary: 'List the usage of an entitlement by hour, newest first',
  access: 'admin',
  params: z.object({ entitlementId: z.string() }),
  query: z.extend(CursorQuery, {
    orgId: z.optional(z.string()),
    /** Whether a subscription is billed for it. */
    billing: z.optional(z.enum(['billed', 'unbilled'])),
    from: z.optional(Moment),
    to: z.optional(Moment),
  }),
  returns: json(cursorPage(UsageHour)),
  fails: [404],
})
