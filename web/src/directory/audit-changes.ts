import { textOf } from './three-way.ts'

type Json = { [name: string]: unknown }

/** A field that was changed. */
export interface Change {
  name: string
  /** Absent where it was not there before. */
  from?: string
  /** Absent where it is not there any more. */
  to?: string
}

/**
 * What is different between before and after, field by field in the order in which they stand there; a field that is
 * empty is as good as none. `called` has names for ids.
 */
export function changesOf(before: Json | null, after: Json | null, called: Record<string, string> = {}): Change[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  return names
    .map((name) => ({
      name,
      ...(before && name in before && { from: printed(withNames(before[name], called)) }),
      ...(after && name in after && { to: printed(withNames(after[name], called)) }),
    }))
    .filter(({ from = '', to = '' }) => from !== to)
}

/** More would not be read in one line: each has its own then. */
const mostInLine = 3
const printed = (value: unknown): string =>
  Array.isArray(value) && value.length > mostInLine ? value.map(textOf).join('\n') : textOf(value)

const withNames = (value: unknown, called: Record<string, string>): unknown => {
  if (Array.isArray(value)) return value.map((one) => withNames(one, called))
  return typeof value === 'string' ? (called[value] ?? value) : value
}

const day = new Intl.DateTimeFormat('en', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })

/** The day of an instant where the reader is: “Today”, “Yesterday”, “Monday, 2 March 2026”. */
export function dayOf(at: string, now = Date.now()): string {
  const name = day.format(new Date(at))
  if (name === day.format(now)) return 'Today'
  return name === day.format(now - 86_400_000) ? 'Yesterday' : name
}
