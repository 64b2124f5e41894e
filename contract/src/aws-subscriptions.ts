import * as z from 'zod/mini'
import { PricingModel, SubscriptionState } from './aws-products.ts'
import { Email } from './email.ts'
import { endpoint, json } from './endpoint.ts'
import type { FieldCode } from './field-codes.ts'
import { Instant } from './instant.ts'
import { PageQuery, page, sortedBy } from './page.ts'
import { action, entity, withDefaults } from './request-body.ts'
import { OptionalLine } from './text-fields.ts'

export const maxSubscriptionNote = 300

const rule = (error: string, code: FieldCode) => ({ error, params: { code } })

/** The id of an AWS account. */
export const AwsAccountId = z.string().check(
  z.trim(),
  z.refine((id) => /^\d{12}$/.test(id), rule('Must have 12 digits.', 'account-id-invalid')),
)

/** The ARN of a license. Events of AWS omit `arn:`, which is added. */
export const LicenseArn = z.string().check(
  z.trim(),
  z.refine(
    (arn) =>
      /^(?:arn:)?aws(?:-[a-z]{1,10}){0,3}:license-manager:[a-z0-9-]{0,32}:\d{0,12}:(?:license:)?l-[0-9a-z]{1,64}$/.test(
        arn,
      ),
    rule(
      'Must be the ARN of a license, such as arn:aws:license-manager:us-east-1:123456789012:l-0123abcd.',
      'license-arn-invalid',
    ),
  ),
  z.overwrite((arn) => (arn.startsWith('arn:') ? arn : `arn:${arn}`)),
)

/** The id of an agreement between buyer and seller. */
export const AgreementId = z.string().check(
  z.trim(),
  z.refine(
    (id) => /^agmt-[0-9a-zA-Z]{1,250}$/.test(id),
    rule('Must begin with agmt- and continue with letters and digits.', 'agreement-id-invalid'),
  ),
)

/** The fields that an administrator edits. */
export const awsSubscriptionFields = {
  agreementId: z.nullable(AgreementId),
  contactEmail: z.nullable(Email),
  note: OptionalLine(maxSubscriptionNote, 'description-invalid'),
}
export const AwsSubscriptionFields = z.object(awsSubscriptionFields)
export type AwsSubscriptionFields = z.infer<typeof AwsSubscriptionFields>

/** A subscription that a buyer did not set up by themselves. */
export const NewAwsSubscription = z.object({
  productId: z.string(),
  /** The organisation that gets the entitlements. */
  orgId: z.string(),
  customerAwsAccountId: AwsAccountId,
  licenseArn: LicenseArn,
  ...withDefaults(awsSubscriptionFields, { agreementId: null, contactEmail: null, note: '' }),
})
export type NewAwsSubscription = z.infer<typeof NewAwsSubscription>

/** What a buyer is entitled to in a dimension, as AWS answered last. */
const SubscribedDimension = z.object({
  dimension: z.string(),
  value: z.union([z.number(), z.boolean(), z.string(), z.null()]),
  expiresAt: z.nullable(Instant),
  /** The entitlement of the organisation; null if the dimension gives none. */
  entitlement: z.nullable(z.object({ id: z.string(), key: z.string() })),
})

/** The subscription of a buyer to a product. Access follows from its state: only `active` and `ending` give some. */
export const AwsSubscription = z
  .object({
    id: z.string(),
    product: z.object({ id: z.string(), name: z.string(), pricingModel: PricingModel }),
    /** Null until the buyer sets up the subscription, or an administrator assigns it. */
    org: z.nullable(z.object({ id: z.string(), name: z.string() })),
    status: SubscriptionState,
    /** What made Passport know it: the buyer's landing, an event of AWS, or an administrator. */
    source: z.enum(['landing', 'event', 'manual']),
    customerAwsAccountId: z.nullable(z.string()),
    customerIdentifier: z.nullable(z.string()),
    licenseArn: z.nullable(z.string()),
    agreementId: z.nullable(z.string()),
    offerId: z.nullable(z.string()),
    trial: z.boolean(),
    trialEndsAt: z.nullable(Instant),
    startsAt: z.nullable(Instant),
    endsAt: z.nullable(Instant),
    /** Until when AWS accepts usage after the end. */
    finalMeteringUntil: z.nullable(Instant),
    entitlements: z.array(SubscribedDimension),
    contactEmail: z.nullable(z.string()),
    note: z.string(),
    lastEventAt: z.nullable(Instant),
    lastCheckedAt: z.nullable(Instant),
    createdAt: Instant,
    updatedAt: Instant,
    version: z.int(),
  })
  .check(z.meta({ id: 'AwsSubscription' }))
export type AwsSubscription = z.infer<typeof AwsSubscription>

/** An entitlement that an organisation would have more or less of, in total. */
const AssignmentChange = z.object({
  entitlement: z.object({ id: z.string(), key: z.string(), name: z.string() }),
  org: z.object({ id: z.string(), name: z.string() }),
  /** The number of members. */
  people: z.int(),
  from: z.union([z.int(), z.boolean()]),
  to: z.union([z.int(), z.boolean()]),
})
export const AssignmentEffect = z
  .object({ gains: z.array(AssignmentChange), loses: z.array(AssignmentChange) })
  .check(z.meta({ id: 'AssignmentEffect' }))
export type AssignmentEffect = z.infer<typeof AssignmentEffect>

/** An entry in the timeline of a subscription. `name` is the action of an audit event, else what happened. */
export const TimelineEntry = z
  .object({
    id: z.string(),
    /** An event of AWS, a change in Passport, or a grant that follows from either. */
    kind: z.enum(['event', 'change', 'grant']),
    name: z.string(),
    /** When it happened in Passport; for an event, when it arrived. */
    at: Instant,
    /** When an event happened at AWS. */
    occurredAt: z.nullable(Instant),
    /** The id of the event at AWS. */
    reference: z.nullable(z.string()),
    /** Of an event: whether it was applied. */
    status: z.nullable(z.enum(['received', 'applied', 'ignored', 'unmatched', 'failed'])),
    attempts: z.int(),
    error: z.nullable(z.string()),
    actor: z.nullable(z.object({ id: z.string(), name: z.string() })),
    /** Of a grant. */
    entitlement: z.nullable(z.object({ id: z.string(), key: z.string(), name: z.string() })),
    before: z.nullable(z.record(z.string(), z.unknown())),
    after: z.nullable(z.record(z.string(), z.unknown())),
  })
  .check(z.meta({ id: 'AwsTimelineEntry' }))
export type TimelineEntry = z.infer<typeof TimelineEntry>

/** The most entries of a timeline. */
export const maxTimelineEntries = 200

const subscriptionParams = z.object({ subscriptionId: z.string() })
const one = { access: 'admin', params: subscriptionParams } as const

export const listAwsSubscriptions = endpoint('GET', '/passport/admin/awssubscriptions', {
  summary: 'List AWS subscriptions',
  description:
    'The newest first. `query` matches a part of the account, the license, the agreement, the organisation, the contact or the note.',
  access: 'admin',
  query: z.extend(PageQuery, {
    query: z.optional(z.string().check(z.trim(), z.maxLength(200))),
    productId: z.optional(z.string()),
    orgId: z.optional(z.string()),
    status: z.optional(SubscriptionState),
    ...sortedBy(['created', 'updated']),
  }),
  returns: json(page(AwsSubscription)),
})
export const createAwsSubscription = endpoint('POST', '/passport/admin/awssubscriptions', {
  summary: 'Create an AWS subscription',
  description:
    'For a buyer who does not come from AWS Marketplace by themselves. It is pending until AWS confirms it. 409 `license-exists` has the id of the subscription of that license.',
  access: 'admin',
  body: entity(NewAwsSubscription),
  returns: json(AwsSubscription),
  creates: true,
  fails: [409],
})
export const getAwsSubscription = endpoint('GET', '/passport/admin/awssubscriptions/{subscriptionId}', {
  summary: 'Get an AWS subscription',
  ...one,
  returns: json(AwsSubscription),
  conditional: true,
  fails: [404],
})
export const putAwsSubscription = endpoint('PUT', '/passport/admin/awssubscriptions/{subscriptionId}', {
  summary: 'Change agreement, contact and note of an AWS subscription',
  ...one,
  body: entity(AwsSubscriptionFields),
  returns: json(AwsSubscription),
  conditional: true,
  fails: [404],
})
export const refreshAwsSubscription = endpoint(
  'POST',
  '/passport/admin/awssubscriptions/{subscriptionId}/actions/refresh',
  {
    summary: 'Ask AWS for the entitlements of a subscription now',
    ...one,
    returns: json(AwsSubscription),
    fails: [404, 429, 502],
    rateLimit: { requests: 30, perSeconds: 60, by: 'caller' },
    waitsForOthers: true,
  },
)
export const assignAwsSubscription = endpoint(
  'POST',
  '/passport/admin/awssubscriptions/{subscriptionId}/actions/assign',
  {
    summary: 'Give an AWS subscription to an organisation',
    description: 'The entitlements of the organisation that had it end now.',
    ...one,
    query: z.object({ preview: z.optional(z.stringbool()) }),
    previews: AssignmentEffect,
    body: action(z.object({ orgId: z.string() })),
    returns: json(AwsSubscription),
    conditional: true,
    fails: [404],
  },
)
export const listAwsSubscriptionEvents = endpoint('GET', '/passport/admin/awssubscriptions/{subscriptionId}/events', {
  summary: 'List what happened to an AWS subscription',
  description: 'Events of AWS, changes and grants; the last 200, newest first.',
  ...one,
  returns: json(z.array(TimelineEntry)),
  fails: [404],
})
