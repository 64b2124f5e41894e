import type { AuditEntry, AuditFilter } from '@passport/contract/audit'
import type { SentFile } from '@passport/contract/endpoint'
import type { Sql } from '../database/sql.ts'
import { csvLine } from '../http/csv.ts'
import type { Cursor } from '../http/paging.ts'
import { entriesOf } from './entry.ts'
import * as store from './store.ts'

const batchSize = 1000

/** Everything a filter lets through, as a file that is made while it is sent: it is never whole in memory. */
export function exportOf(sql: Sql, filter: AuditFilter, format: 'csv' | 'json'): SentFile {
  const name = `audit-${new Date().toISOString().slice(0, 10)}.${format}`
  const entries = batchesOf(sql, filter)
  if (format === 'csv') return { type: 'text/csv', name, parts: linesOf(entries) }
  return { type: 'application/json', name, parts: listOf(entries) }
}

async function* batchesOf(sql: Sql, filter: AuditFilter): AsyncGenerator<AuditEntry[]> {
  let after: Cursor | undefined
  for (;;) {
    const rows = await store.listEntries(sql, filter, batchSize, after)
    if (rows.length > 0) yield await entriesOf(sql, rows)
    const last = rows.at(-1)
    if (!last || rows.length < batchSize) return
    after = [last.at, last.id]
  }
}

const columns =
  'at,action,actor_id,actor,target_kind,target_id,target,before,after,reason,ip,browser,os,trace_id,support_code,id'

async function* linesOf(batches: AsyncIterable<AuditEntry[]>) {
  yield csvLine(columns.split(','))
  for await (const entries of batches) yield entries.map(lineOf).join('')
}

function lineOf({
  id,
  at,
  action,
  actor,
  target,
  before,
  after,
  reason,
  ip,
  userAgent,
  traceId,
  supportCode,
}: AuditEntry) {
  const values = (told: object | null) => told && JSON.stringify(told)
  const who = [actor?.id ?? null, actor?.name ?? null]
  const what = [target.kind, target.id, target.name, values(before), values(after), reason]
  return csvLine([
    at,
    action,
    ...who,
    ...what,
    ip,
    userAgent?.browser ?? null,
    userAgent?.os ?? null,
    traceId,
    supportCode,
    id,
  ])
}

async function* listOf(batches: AsyncIterable<AuditEntry[]>) {
  let separator = '[\n'
  for await (const entries of batches) {
    yield separator + entries.map((entry) => JSON.stringify(entry)).join(',\n')
    separator = ',\n'
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n'
}
