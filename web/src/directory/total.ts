/** Formats a count: “312”, or “about 12,000” for an estimate, of which only the first two digits are significant. */
export function formatTotal(total: number, isExact: false | undefined): string {
  if (isExact !== false) return total.toLocaleString('en')
  return `about ${total.toLocaleString('en', { maximumSignificantDigits: 2 })}`
}

/** Formats “1 user”, “312 users”, “about 12,000 users”. */
export function formatCount(
  total: number,
  [singular, plural]: readonly [string, string],
  isExact?: false | undefined,
): string {
  return `${formatTotal(total, isExact)} ${total === 1 ? singular : plural}`
}
