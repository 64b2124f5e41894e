import { maxTimelineEntries, type TimelineEntry } from '@passport/contract/aws-subscriptions'
import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import * as ledger from '../entitlements/ledger-store.ts'
import * as events from './event-store.ts'

const nothing = {
  occurredAt: null,
  reference: null,
  status: null,
  attempts: 0,
  error: null,
  actor: null,
  entitlement: null,
  before: null,
  after: null,
}

/** Lists the events of AWS, the changes and the grants of a subscription, newest first. */
export async function listTimeline(sql: Sql, id: string): Promise<TimelineEntry[]> {
  const [received, changes, grants] = await Promise.all([
    events.listOfSubscription(sql, id, maxTimelineEntries),
    audit.listEntries(sql, { target: `aws-subscription:${id}` }, maxTimelineEntries, undefined),
    ledger.listOfSubscription(sql, id, maxTimelineEntries),
  ])
  const entries: TimelineEntry[] = [
    ...received.map((event) => ({
      ...nothing,
      id: event.id,
      kind: 'event' as const,
      name: event.kind ?? event.detailType,
      at: event.receivedAt,
      occurredAt: event.eventTime,
      reference: event.eventId,
      status: event.status,
      attempts: event.attempts,
      error: event.error,
    })),
    ...changes.map(({ id, action, at, actorId, actorName, before, after }) => ({
      ...nothing,
      id,
      kind: 'change' as const,
      name: action,
      at,
      actor: actorId === null ? null : { id: actorId, name: actorName ?? actorId },
      before,
      after,
    })),
    ...grants.map(({ sequence, action, at, entitlement, before, after }) => ({
      ...nothing,
      id: `grant-${sequence}`,
      kind: 'grant' as const,
      name: action,
      at,
      entitlement,
      before,
      after,
    })),
  ]
  return entries.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)).slice(0, maxTimelineEntries)
}
