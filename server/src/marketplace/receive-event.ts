import type { IncomingHttpHeaders } from 'node:http'
import type { EventBridgeEvent } from '@passport/contract/aws-events'
import type { Config } from '../config.ts'
import type { Sql } from '../database/sql.ts'
import { isSameSecret } from '../vault.ts'
import { licenseKeyOf } from './aws.ts'
import * as store from './event-store.ts'
import * as problems from './problems.ts'
import type { EventKind } from './state.ts'

/** Throws 503 if no key is configured, and 401 unless the header has one of the keys. */
export function requireEventKey({ awsMarketplace }: Config, headers: IncomingHttpHeaders): void {
  const keys = awsMarketplace?.eventKeys ?? []
  if (keys.length === 0) throw problems.eventsNotConfigured()
  const sent = headers['x-passport-webhook-key']
  // Compares with every key, so that the time does not reveal which one matched.
  const matches = keys.map((key) => isSameSecret(key, typeof sent === 'string' ? sent : ''))
  if (!matches.includes(true)) throw problems.eventKeyInvalid()
}

/** The only source of marketplace events. */
const awsSource = 'aws.agreement-marketplace'

/** Each detail type ends with our role in the agreement, as ` - Manufacturer` or ` - Proposer`. */
const kinds: Record<string, EventKind> = {
  'License Updated': 'license-updated',
  'License Deprovisioned': 'license-deprovisioned',
  'Purchase Agreement Created': 'agreement-created',
  'Purchase Agreement Amended': 'agreement-amended',
  'Purchase Agreement Ended': 'agreement-ended',
}

/** Stores an event for the job that applies it. A repeated event, and one of another kind, have no effect. */
export const receiveEvent = (sql: Sql, event: EventBridgeEvent): Promise<void> => store.add(sql, readEvent(event))

/** Reads what the payload of an event says; what it lacks, or has in another form, is null. */
export function readEvent(event: EventBridgeEvent): store.NewEvent {
  const { id, 'detail-type': detailType, source, time, detail } = event
  const [name = ''] = detailType.split(' - ')
  const licenseArn = readText(detail, 'license', 'arn')
  const product = readText(detail, 'product', 'code') ?? readText(detail, 'product', 'id')
  return {
    source: 'eventbridge',
    eventId: id,
    detailType,
    kind: source === awsSource && Object.hasOwn(kinds, name) ? (kinds[name] ?? null) : null,
    licenseKey: licenseArn && licenseKeyOf(licenseArn),
    licenseArn: licenseArn && completeArn(licenseArn),
    agreementId: readText(detail, 'agreement', 'id'),
    offerId: readText(detail, 'offer', 'id'),
    accountId: readText(detail, 'acceptor', 'accountId'),
    product,
    eventTime: time,
    payload: event,
  }
}

/** The ARN in an event lacks the prefix that the other services require. */
const completeArn = (arn: string) => (arn.startsWith('arn:') ? arn : `arn:${arn}`)

const maxTextLength = 256

/** Returns a text of a member of the detail, such as `license.arn`. */
function readText(detail: Record<string, unknown>, member: string, field: string): string | null {
  const object = detail[member]
  if (typeof object !== 'object' || object === null) return null
  const value = (object as Record<string, unknown>)[field]
  return typeof value === 'string' && value !== '' && value.length <= maxTextLength ? value : null
}
