import type { AuditEntry } from '@passport/contract/audit'
import { supportCodeOf } from '@passport/contract/support-code'
import type { Sql } from '../database/sql.ts'
import { describeUserAgent } from '../http/user-agent.ts'
import { type EntryRow, findRecords, type NamedRecord } from './store.ts'

/** Returns the URL of a picture by its hash. */
export type ToPictureUrl = (hash: string | null) => string | null

/** Converts rows to events, with pictures, and the names of the ids that they mention. Runs one SQL statement. */
export async function toEntries(sql: Sql, rows: EntryRow[], toPictureUrl: ToPictureUrl): Promise<AuditEntry[]> {
  const ids = rows.map(({ actorId, targetId, before, after }) => ({
    shown: [actorId, targetId].filter((id) => id !== null),
    mentioned: [...findIds(before), ...findIds(after)],
  }))
  const records = await findRecords(sql, [...new Set(ids.flatMap(({ shown, mentioned }) => [...shown, ...mentioned]))])
  const pick = (ids: string[], select: (record: NamedRecord) => string | null) =>
    Object.fromEntries(
      ids.flatMap((id) => {
        const record = records.get(id)
        const value = record && select(record)
        return value ? [[id, value]] : []
      }),
    )
  return rows.map((row, index) => {
    const { shown = [], mentioned = [] } = ids[index] ?? {}
    return {
      ...toEntry(row),
      names: pick(mentioned, ({ name }) => name),
      pictures: pick(shown, ({ pictureHash }) => toPictureUrl(pictureHash)),
    }
  })
}

/** An id of a record, or of a tenant as an identity provider. */
const idPattern = /^(?:entra:)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

function findIds(value: unknown): string[] {
  if (typeof value === 'string') return idPattern.test(value) ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  // Keys can be ids too: the former members of an organisation are stored by id.
  return Object.entries(value).flatMap(([key, item]) => [...findIds(key), ...findIds(item)])
}

function toEntry(row: EntryRow): Omit<AuditEntry, 'names' | 'pictures'> {
  const { id, at, action, actorId, actorName, before, after, reason, ip, userAgent, traceId, supportCode } = row
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
    supportCode: supportCode === null ? null : supportCodeOf(supportCode),
  }
}
