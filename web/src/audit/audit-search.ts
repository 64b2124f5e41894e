import type { AuditFilter } from '@passport/contract/audit'

/** What of the audit is shown, as it stands in the address: days as `2026-11-21`, everything else as the call takes it. */
export interface AuditSearch {
  actor?: string
  action?: string
  target?: string
  role?: string
  from?: string
  to?: string
  traceId?: string
  supportCode?: string
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
}

/** The parts of an address that say what to show; whatever the call would refuse counts as absent. */
export function searchOf(address: Record<string, unknown>): AuditSearch {
  return Object.fromEntries(
    Object.entries(shapes).flatMap(([name, shape]) => {
      const value = address[name]
      return typeof value === 'string' && shape.test(value) ? [[name, value]] : []
    }),
  )
}

/** What the call takes: both days are whole, where the reader is. */
export function filterOf({ from, to, ...rest }: AuditSearch): AuditFilter {
  const [start, end] = [startOf(from, 0), startOf(to, 1)]
  return { ...rest, ...(start && { from: start }), ...(end && { to: end }) }
}

function startOf(day: string | undefined, later: number): string | undefined {
  if (!day) return undefined
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  const start = new Date(2000, month - 1, date + later)
  start.setFullYear(year, month - 1, date + later)
  return Number.isNaN(start.getTime()) || year < 1 ? undefined : start.toISOString()
}

/** What someone pastes to find one attempt: a support code, or a whole trace id; undefined for anything else. */
export function attemptOf(text: string): Pick<AuditSearch, 'traceId' | 'supportCode'> | undefined {
  const word = text.trim()
  if (shapes.traceId.test(word.toLowerCase())) return { traceId: word.toLowerCase() }
  const isCode = shapes.supportCode.test(word)
  return isCode ? { supportCode: word.toUpperCase().replace(/^(.{4})(?=[^-])/, '$1-') } : undefined
}
