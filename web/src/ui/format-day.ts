const shortFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const longFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})

/** Formats a date such as `2026-11-14`: “14 Nov”, or “14 Nov 2026” with the year. */
export const formatDay = (day: string, hasYear = false): string =>
  (hasYear ? longFormat : shortFormat).format(Date.parse(`${day}T00:00:00Z`))
