import { maxAuditDays, type SignInCounts } from '@passport/contract/audit'

const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs
const defaultDays = 30
/** Longer periods have longer steps. */
const maxHoursOfMinutes = 6
const maxDaysOfHours = 3

/** Returns the period to count in, at most `maxAuditDays` long, with steps of which a chart has room for all. */
export function choosePeriod(
  from: string | undefined,
  to: string | undefined,
  now = Date.now(),
): Pick<SignInCounts, 'from' | 'to' | 'step'> {
  const end = to === undefined ? now : Date.parse(to)
  const wanted = from === undefined ? end - defaultDays * dayMs : Date.parse(from)
  const start = Math.min(Math.max(wanted, end - maxAuditDays * dayMs), end - 1)
  const length = end - start
  return {
    from: new Date(start).toISOString(),
    to: new Date(end).toISOString(),
    step: length <= maxHoursOfMinutes * hourMs ? '10 minutes' : length <= maxDaysOfHours * dayMs ? 'hour' : 'day',
  }
}
