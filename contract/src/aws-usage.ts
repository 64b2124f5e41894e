import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import { Instant, Moment } from './instant.ts'
import { CursorQuery, cursorPage } from './page.ts'

export const usageStatuses = [
  'pending',
  'sent',
  'success',
  'included',
  'duplicate',
  'not_subscribed',
  'rejected',
  'expired',
] as const

/** The metered usage of a dimension in an hour. */
export const AwsUsage = z
  .object({
    dimension: z.string(),
    /** The beginning of the hour. */
    hour: Instant,
    /** What the organisation used in the hour. */
    used: z.int(),
    /** What AWS bills of it. It never changes once it was sent. */
    quantity: z.int(),
    /** What AWS was sent too much of, as a late event of AWS showed. */
    overMetered: z.int(),
    /**
     * `included` is paid in advance and not sent, `sent` waits for the answer of AWS. AWS refused what is `duplicate`,
     * `not_subscribed` or `rejected`; `expired` was too old.
     */
    status: z.enum(usageStatuses),
    meteringRecordId: z.nullable(z.string()),
    attempts: z.int(),
    /** The name of the last error of AWS, such as `InvalidUsageDimensionException`. */
    error: z.nullable(z.string()),
    nextAttemptAt: z.nullable(Instant),
    /** When AWS answered. */
    answeredAt: z.nullable(Instant),
    updatedAt: Instant,
  })
  .check(z.meta({ id: 'AwsUsage' }))
export type AwsUsage = z.infer<typeof AwsUsage>

/** What has become of usage: billed, paid in advance, waiting to be sent, or refused by AWS. */
export const usageStates = ['billed', 'included', 'waiting', 'refused'] as const
export type UsageState = (typeof usageStates)[number]

const one = { access: 'admin', params: z.object({ subscriptionId: z.string() }) } as const

export const listAwsSubscriptionUsage = endpoint('GET', '/passport/admin/awssubscriptions/{subscriptionId}/usage', {
  summary: 'List the metered usage of an AWS subscription, newest first',
  ...one,
  query: z.extend(CursorQuery, {
    dimension: z.optional(z.string().check(z.maxLength(255))),
    state: z.optional(z.enum(usageStates)),
    from: z.optional(Moment),
    to: z.optional(Moment),
  }),
  returns: json(cursorPage(AwsUsage)),
  fails: [404],
})

const quantities = {
  /** What the organisation used. */
  used: z.number(),
  /** What AWS has accepted, to bill it. */
  billed: z.number(),
  /** What the buyer has paid in advance. */
  included: z.number(),
  /** What has not been sent, or not been answered. */
  waiting: z.number(),
  /** What AWS refused, so that nobody is billed. */
  refused: z.number(),
}

/** The usage of a metered dimension. */
const DimensionUsage = z.object({
  dimension: z.string(),
  unit: z.nullable(z.string()),
  entitlement: z.nullable(z.object({ id: z.string(), key: z.string(), name: z.string() })),
  /** The sums of the period. */
  ...quantities,
  overMetered: z.number(),
  /** Reported for hours that are still open. */
  open: z.number(),
  /** The term of a contract with consumption. */
  term: z.nullable(z.object({ startsAt: Instant, endsAt: z.nullable(Instant), quantity: z.int(), used: z.number() })),
  /** The hours, or the days, of the period. */
  buckets: z.array(z.object({ at: Instant, ...quantities })),
})
export type DimensionUsage = z.infer<typeof DimensionUsage>

/** Hours that AWS refused, for one reason. */
const Refusal = z.object({
  status: z.enum(usageStatuses),
  /** The name of the error of AWS. */
  error: z.nullable(z.string()),
  hours: z.int(),
  /** Those that AWS may still accept. */
  retryable: z.int(),
})
export type Refusal = z.infer<typeof Refusal>

export const AwsUsageSummary = z
  .object({
    from: Instant,
    step: z.enum(['hour', 'day']),
    dimensions: z.array(DimensionUsage),
    refusals: z.array(Refusal),
    /** The next attempt of the oldest hour that waits. */
    nextAttemptAt: z.nullable(Instant),
  })
  .check(z.meta({ id: 'AwsUsageSummary' }))
export type AwsUsageSummary = z.infer<typeof AwsUsageSummary>

export const usagePeriods = ['1', '7', '30'] as const

export const getAwsUsageSummary = endpoint('GET', '/passport/admin/awssubscriptions/{subscriptionId}/usage/summary', {
  summary: 'Summarise the metered usage of an AWS subscription',
  description: 'For 1 day by hour, for 7 or 30 by day in UTC.',
  ...one,
  query: z.object({ days: z._default(z.enum(usagePeriods), '1') }),
  returns: json(AwsUsageSummary),
  fails: [404],
})

export const retryAwsUsage = endpoint('POST', '/passport/admin/awssubscriptions/{subscriptionId}/usage/actions/retry', {
  summary: 'Send the refused usage of an AWS subscription again',
  description: 'The hours that AWS may still accept, with the quantities of before.',
  ...one,
  returns: json(z.object({ hours: z.int() })),
  fails: [404],
})
