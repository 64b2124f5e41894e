import { exportAuditEntries } from '@passport/contract/audit'

/** Returns the URL that exports the matching events; undefined filters are omitted. */
export function formatExportUrl(query: Record<string, string | undefined>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, value)
  return `${exportAuditEntries.path}?${search}`
}
