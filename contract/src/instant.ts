import * as z from 'zod/mini'

/** A point in time in RFC 3339 format, in UTC with milliseconds, such as `2026-11-21T09:30:00.000Z`. */
export const Instant = z.iso.datetime({ precision: 3 })

/** A point in time as callers may send it, with any precision and UTC offset. It is normalised to an `Instant`. */
export const Moment = z.iso.datetime({ offset: true }).check(
  z.refine((text) => /^((?!0000)\d{4}-|$)/.test(toIso(text)), { error: 'Must be between the years 1 and 9999.' }),
  z.overwrite(toIso),
)

/** Converts a date to ISO 8601 in UTC; returns the empty string for an invalid date. */
function toIso(text: string): string {
  const moment = new Date(text)
  return Number.isNaN(moment.getTime()) ? '' : moment.toISOString()
}
