const dayMs = 24 * 60 * 60 * 1000

/** Returns this many days in UTC up to today, oldest first: 2026-11-27. */
export const listUtcDays = (now: Date, count: number): string[] =>
  Array.from({ length: count }, (_, index) =>
    new Date(now.getTime() - (count - 1 - index) * dayMs).toISOString().slice(0, 10),
  )
