import type { AuditEntry } from '@passport/contract/audit'
import { describeUserAgent } from '../accounts/user-agent.ts'
import type { Sql } from '../database/sql.ts'
import { supportCodeOf } from '../http/visit.ts'
import { type EntryRow, namesOf } from './store.ts'

/** Events as administrators are told of them, with the names of whom they mention; one statement for all. */
export async function entriesOf(sql: Sql, rows: EntryRow[]): Promise<AuditEntry[]> {
  const mentioned = rows.map(({ before, after }) => [...idsIn(before), ...idsIn(after)])
  const names = await namesOf(sql, [...new Set(mentioned.flat())])
  return rows.map((row, at) => entryOf(row, named(mentioned[at] ?? [], names)))
}

const id = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

function idsIn(value: unknown): string[] {
  if (typeof value === 'string') return id.test(value) ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(idsIn) : []
}

const named = (ids: string[], names: ReadonlyMap<string, string>) =>
  Object.fromEntries(
    ids.flatMap((id) => {
      const name = names.get(id)
      return name === undefined ? [] : [[id, name]]
    }),
  )

/** An event as administrators are told of it. Whoever is gone for good is called by their id. */
function entryOf(row: EntryRow, names: AuditEntry['names']): AuditEntry {
  const { id, at, action, actorId, actorName, before, after, reason, ip, userAgent, traceId } = row
  return {
    id,
    at,
    action,
    actor: actorId === null ? null : { id: actorId, name: actorName ?? actorId },
    target: { kind: row.targetKind, id: row.targetId, name: row.targetName },
    before,
    after,
    names,
    reason,
    ip,
    userAgent: userAgent === null ? null : describeUserAgent(userAgent),
    traceId,
    supportCode: traceId === null ? null : supportCodeOf(traceId),
  }
}
