import type { AuditEntry } from '@passport/contract/audit'
import { supportCodeOf } from '@passport/contract/support-code'
import type { Sql } from '../database/sql.ts'
import { describeUserAgent } from '../http/user-agent.ts'
import { type EntryRow, findNames } from './store.ts'

/** Converts rows to events, with the names of the ids that they mention. Runs one SQL statement. */
export async function toEntries(sql: Sql, rows: EntryRow[]): Promise<AuditEntry[]> {
  const mentioned = rows.map(({ before, after }) => [...findIds(before), ...findIds(after)])
  const names = await findNames(sql, [...new Set(mentioned.flat())])
  return rows.map((row, index) => toEntry(row, pickNames(mentioned[index] ?? [], names)))
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

function findIds(value: unknown): string[] {
  if (typeof value === 'string') return uuidPattern.test(value) ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  // Keys can be ids too: the former members of an organisation are stored by id.
  return Object.entries(value).flatMap(([key, item]) => [...findIds(key), ...findIds(item)])
}

const pickNames = (ids: string[], names: ReadonlyMap<string, string>) =>
  Object.fromEntries(
    ids.flatMap((id) => {
      const name = names.get(id)
      return name === undefined ? [] : [[id, name]]
    }),
  )

function toEntry(row: EntryRow, names: AuditEntry['names']): AuditEntry {
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
