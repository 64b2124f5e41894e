import type { AuditEntry } from '@passport/contract/audit'
import { describeUserAgent } from '../accounts/user-agent.ts'
import { supportCodeOf } from '../http/visit.ts'
import type { EntryRow } from './store.ts'

/** An event as administrators are told of it. Whoever is gone for good is called by their id. */
export function entryOf(row: EntryRow): AuditEntry {
  const { id, at, action, actorId, actorName, before, after, reason, ip, userAgent, traceId } = row
  return {
    id,
    at,
    action,
    actor: actorId === null ? null : { id: actorId, name: actorName ?? actorId },
    target: { kind: row.targetKind, id: row.targetId, name: row.targetName },
    before,
    after,
    reason,
    ip,
    userAgent: userAgent === null ? null : describeUserAgent(userAgent),
    traceId,
    supportCode: traceId === null ? null : supportCodeOf(traceId),
  }
}
