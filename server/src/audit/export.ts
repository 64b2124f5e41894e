import type { AuditEntry, AuditFilter } from '@passport/contract/audit'
import { formatCsvLine } from '@passport/contract/csv'
import type { FileDownload } from '@passport/contract/endpoint'
import type { Sql } from '../database/sql.ts'
import type { Cursor } from '../http/paging.ts'
import { type ToPictureUrl, toEntries } from './entry.ts'
import * as store from './store.ts'

const batchSize = 1000

/** Exports the matching events, newest first, as a file that is streamed while it is generated. */
export function exportEntries(
  sql: Sql,
  filter: AuditFilter,
  format: 'csv' | 'json',
  toPictureUrl: ToPictureUrl,
): FileDownload {
  const name = `audit-${new Date().toISOString().slice(0, 10)}.${format}`
  const entries = readBatches(sql, filter, toPictureUrl)
  if (format === 'csv') return { type: 'text/csv', name, parts: formatCsv(entries) }
  return { type: 'application/json', name, parts: formatJson(entries) }
}

async function* readBatches(sql: Sql, filter: AuditFilter, toPictureUrl: ToPictureUrl): AsyncGenerator<AuditEntry[]> {
  let after: Cursor | undefined
  for (;;) {
    const rows = await store.listEntries(sql, filter, batchSize, after)
    if (rows.length > 0) yield await toEntries(sql, rows, toPictureUrl)
    const last = rows.at(-1)
    if (!last || rows.length < batchSize) return
    after = [last.at, last.id]
  }
}

const columns =
  'at,action,actor_id,actor,target_kind,target_id,target,before,after,reason,ip,browser,os,trace_id,support_code,id'

async function* formatCsv(batches: AsyncIterable<AuditEntry[]>) {
  yield formatCsvLine(columns.split(','))
  for await (const entries of batches) yield entries.map(formatLine).join('')
}

function formatLine({
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
  const toJson = (fields: object | null) => fields && JSON.stringify(fields)
  const actorColumns = [actor?.id ?? null, actor?.name ?? null]
  const targetColumns = [target.kind, target.id, target.name, toJson(before), toJson(after), reason]
  return formatCsvLine([
    at,
    action,
    ...actorColumns,
    ...targetColumns,
    ip,
    userAgent?.browser ?? null,
    userAgent?.os ?? null,
    traceId,
    supportCode,
    id,
  ])
}

async function* formatJson(batches: AsyncIterable<AuditEntry[]>) {
  let separator = '[\n'
  for await (const entries of batches) {
    yield separator + entries.map((entry) => JSON.stringify(entry)).join(',\n')
    separator = ',\n'
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n'
}
