import * as z from 'zod/mini'
import { parseForeignJson } from '../http/foreign-json.ts'
import type { NewEvent } from './event-store.ts'
import type { EventKind } from './state.ts'

const text = (max: number) => z.string().check(z.minLength(1), z.maxLength(max))

/** What Amazon SNS posts about a message of a topic. */
export const SnsNotification = z.object({
  Type: z.literal('Notification'),
  MessageId: text(128),
  TopicArn: text(512),
  Subject: z.optional(z.nullable(z.string())),
  Message: z.string(),
  Timestamp: text(64),
})
export type SnsNotification = z.infer<typeof SnsNotification>

const signed = { SignatureVersion: text(8), Signature: text(2048), SigningCertURL: text(1024) }

/** A message as it is posted, with its signature. */
export const SnsMessage = z.union([
  z.extend(SnsNotification, signed),
  z.object({
    Type: z.enum(['SubscriptionConfirmation', 'UnsubscribeConfirmation']),
    MessageId: text(128),
    TopicArn: text(512),
    Message: z.string(),
    Timestamp: text(64),
    Token: text(4096),
    SubscribeURL: text(4096),
    ...signed,
  }),
])
export type SnsMessage = z.infer<typeof SnsMessage>

const kinds = new Set<string>([
  'subscribe-success',
  'subscribe-fail',
  'unsubscribe-pending',
  'unsubscribe-success',
  'entitlement-updated',
] satisfies EventKind[])

const maxText = 256

/** Reads the event in a notification of an older listing; undefined if it is none. Throws `UnusableJson`. */
export function readNotification({ MessageId, Message, Timestamp }: SnsNotification): NewEvent | undefined {
  const message = parse(Message)
  const time = Date.parse(Timestamp)
  if (!message || Number.isNaN(time)) return undefined
  const read = (name: string): string | null => {
    const value = message[name]
    // The examples of AWS have spaces around the values.
    const trimmed = typeof value === 'string' ? value.trim() : ''
    return trimmed !== '' && trimmed.length <= maxText ? trimmed : null
  }
  const action = read('action')
  if (action === null) return undefined
  return {
    source: 'sns',
    eventId: MessageId,
    detailType: action,
    kind: kinds.has(action) ? (action as EventKind) : null,
    licenseKey: null,
    licenseArn: null,
    agreementId: null,
    offerId: read('offer-identifier'),
    accountId: read('customer-identifier'),
    product: read('product-code'),
    eventTime: new Date(time).toISOString(),
    payload: { ...message, isFreeTrialTermPresent: read('isFreeTrialTermPresent') },
  }
}

function parse(message: string): Record<string, unknown> | undefined {
  const value = parseForeignJson(message)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
}
