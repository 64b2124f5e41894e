import * as z from 'zod/mini'

/** A moment as RFC 3339 in UTC with milliseconds, such as `2026-11-21T09:30:00.000Z`. */
export const Instant = z.iso.datetime({ precision: 3 })
