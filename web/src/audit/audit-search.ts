import type { AuditFilter } from '@passport/contract/audit'

/**
 * The audit filters as in the URL: days as `2026-11-21`, everything else in the format of the call. Settings of the
 * console are hidden unless they are `shown`.
 */
export interface AuditSearch {
  actor?: string
  action?: string
  target?: string
  role?: string
  from?: string
  to?: string
  traceId?: string
  supportCode?: string
  settings?: string
}

const shapes: Record<keyof AuditSearch, RegExp> = {
  actor: /./,
  action: /^[a-z-]+(\.[a-z-]*)?$/,
  target: /^[a-z-]+:./,
  role: /./,
  from: /^\d{4}-\d\d-\d\d$/,
  to: /^\d{4}-\d\d-\d\d$/,
  traceId: /^[0-9a-f]{32}$/,
  supportCode: /^[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}$/,
  settings: /^shown$/,
}

/** Parses the filters of a URL; values that the call would reject are dropped. */
export function parseAuditSearch(params: Record<string, unknown>): AuditSearch {
  return Object.fromEntries(
    Object.entries(shapes).flatMap(([name, shape]) => {
      const value = params[name]
      return typeof value === 'string' && shape.test(value) ? [[name, value]] : []
    }),
  )
}

/** Converts the filters for the call: both days are whole, in local time. */
export function toFilter({ from, to, settings, ...rest }: AuditSearch): AuditFilter {
  const [start, end] = [startOfDay(from, 0), startOfDay(to, 1)]
  const isHidden = settings === undefined && !needsSettings(rest)
  return { ...rest, ...(start && { from: start }), ...(end && { to: end }), ...(isHidden && { settings: 'hidden' }) }
}

/** Reports whether a filter selects preferences or one attempt, so that none of its events may be hidden. */
const needsSettings = ({ action, target, traceId, supportCode }: AuditSearch) =>
  action?.startsWith('preference') || target?.startsWith('preference') || traceId || supportCode

/** Returns the start of a local day, a number of days later; undefined for an invalid one. */
export function startOfDay(day: string | undefined, offsetDays: number): string | undefined {
  if (!day) return undefined
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  const start = new Date(2000, month - 1, date + offsetDays)
  start.setFullYear(year, month - 1, date + offsetDays)
  return Number.isNaN(start.getTime()) || year < 1 ? undefined : start.toISOString()
}

/** Parses the identifier of an attempt: a support code or a whole trace id; undefined for anything else. */
export function parseAttempt(text: string): Pick<AuditSearch, 'traceId' | 'supportCode'> | undefined {
  const trimmed = text.trim()
  if (shapes.traceId.test(trimmed.toLowerCase())) return { traceId: trimmed.toLowerCase() }
  const isCode = shapes.supportCode.test(trimmed)
  return isCode ? { supportCode: trimmed.toUpperCase().replace(/^(.{4})(?=[^-])/, '$1-') } : undefined
}
