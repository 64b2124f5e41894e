import * as z from 'zod/mini'
import { endpoint, json, text } from './endpoint.ts'
import { Instant, Moment } from './instant.ts'
import { PageQuery, page } from './page.ts'
import { action, message } from './request-body.ts'

const id = z.string().check(z.minLength(1), z.maxLength(256))

/** An event as Amazon EventBridge sends it to an API destination. */
export const EventBridgeEvent = z
  .object({
    id,
    'detail-type': id,
    source: id,
    account: z.optional(z.string()),
    time: Moment,
    detail: z.record(z.string(), z.unknown()),
  })
  .check(z.meta({ id: 'EventBridgeEvent' }))
export type EventBridgeEvent = z.infer<typeof EventBridgeEvent>

export const eventsPath = '/passport/licensing/awsmarketplace/events'

export const receiveAwsEvent = endpoint('POST', eventsPath, {
  summary: 'Receive an event of AWS Marketplace',
  description:
    'For an API destination of Amazon EventBridge. The event is stored and applied later; a repeated event changes nothing.',
  access: 'anyone',
  keyHeader: 'x-passport-webhook-key',
  // The maximum of EventBridge.
  body: message(EventBridgeEvent, { maxBytes: 256 * 1024 }),
  returns: json(z.object({})),
  mayBePending: true,
})

export const snsPath = '/passport/licensing/awsmarketplace/sns'

export const receiveSnsMessage = endpoint('POST', snsPath, {
  summary: 'Receive a notification about an older listing',
  description:
    'For Amazon SNS, which signs its messages. 403 for another topic than those of the products, or an invalid signature.',
  access: 'anyone',
  body: text(z.string(), { maxBytes: 256 * 1024 }),
  returns: json(z.object({})),
  mayBePending: true,
  fails: [502],
  rateLimit: { requests: 600, perSeconds: 60, by: 'address' },
})

/** An event that waits for its subscription, or for AWS. */
export const AwsEvent = z
  .object({
    id: z.string(),
    /** The id that AWS gave it. */
    eventId: z.string(),
    source: z.enum(['eventbridge', 'sns']),
    detailType: z.string(),
    status: z.enum(['received', 'applied', 'ignored', 'unmatched', 'failed']),
    licenseKey: z.nullable(z.string()),
    agreementId: z.nullable(z.string()),
    customerAwsAccountId: z.nullable(z.string()),
    /** The code or the id of the product. */
    product: z.nullable(z.string()),
    subscriptionId: z.nullable(z.string()),
    attempts: z.int(),
    error: z.nullable(z.string()),
    eventTime: Instant,
    receivedAt: Instant,
  })
  .check(z.meta({ id: 'AwsEvent' }))
export type AwsEvent = z.infer<typeof AwsEvent>

export const listAwsEvents = endpoint('GET', '/passport/admin/awsevents', {
  summary: 'List AWS events that are unmatched or failed',
  description: 'The newest first. `unmatched` events have no subscription yet; `failed` ones are retried.',
  access: 'admin',
  query: z.extend(PageQuery, { status: z._default(z.enum(['unmatched', 'failed']), 'unmatched') }),
  returns: json(page(AwsEvent)),
})

/** An event with what AWS sent. */
export const AwsEventWithPayload = z
  .extend(AwsEvent, { payload: z.record(z.string(), z.unknown()) })
  .check(z.meta({ id: 'AwsEventWithPayload' }))
export type AwsEventWithPayload = z.infer<typeof AwsEventWithPayload>

export const getAwsEvent = endpoint('GET', '/passport/admin/awsevents/{eventId}', {
  summary: 'Get an AWS event with its payload',
  access: 'admin',
  params: z.object({ eventId: z.string() }),
  returns: json(AwsEventWithPayload),
  fails: [404],
})
export const redriveAwsEvent = endpoint('POST', '/passport/admin/awsevents/{eventId}/redrive', {
  summary: 'Apply an unmatched or failed AWS event again',
  access: 'admin',
  params: z.object({ eventId: z.string() }),
  returns: json(AwsEvent),
  fails: [404, 409],
})

export const assignAwsEvent = endpoint('POST', '/passport/admin/awsevents/{eventId}/assign', {
  summary: 'Give an unmatched or failed AWS event to a subscription',
  description:
    'For events that name neither its licence nor its agreement. 409 `event-of-other-license` if the event names another licence.',
  access: 'admin',
  params: z.object({ eventId: z.string() }),
  body: action(z.object({ subscriptionId: z.string() })),
  returns: json(AwsEvent),
  fails: [404, 409],
})

/** A difference between a subscription in Passport and at AWS. */
const Difference = z.object({
  subscriptionId: z.string(),
  /** `agreement`, or `entitlements.` and the key of a dimension. */
  field: z.string(),
  passport: z.nullable(z.string()),
  aws: z.nullable(z.string()),
  /** When both were compared last; the difference is newer. */
  since: z.nullable(Instant),
  /** Whether the organisation loses access or quantity with the value of AWS. */
  takesAccess: z.boolean(),
})

export const AwsDrift = z
  .object({
    checkedAt: Instant,
    /** The subscriptions that were compared, of those that have access. */
    compared: z.int(),
    /** Those that AWS gave no answer about. */
    failed: z.int(),
    differences: z.array(Difference),
  })
  .check(z.meta({ id: 'AwsDrift' }))
export type AwsDrift = z.infer<typeof AwsDrift>

/** The most subscriptions in one comparison: AWS limits the calls of a seller. */
export const maxCompared = 50

export const getAwsDrift = endpoint('GET', '/passport/admin/awssubscriptions/drift', {
  summary: 'Compare AWS subscriptions with AWS',
  description:
    'Compares up to 50 subscriptions with access, those first that were not checked for longest. Changes nothing; `refresh` of a subscription does.',
  access: 'admin',
  returns: json(AwsDrift),
  rateLimit: { requests: 6, perSeconds: 60, by: 'caller' },
  oneAtATime: 'aws-drift',
  waitsForOthers: true,
})
