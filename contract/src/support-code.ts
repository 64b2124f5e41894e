/**
 * Returns the code that a user gives to support: the start of the trace id, by which the log and the audit can be
 * searched.
 */
export const supportCodeOf = (traceId: string): string => `${traceId.slice(0, 4)}-${traceId.slice(4, 8)}`.toUpperCase()

const supportCodePattern = /^(?:[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}|[0-9a-fA-F]{32})$/

/** Parses a support code or a trace id; returns the code as on the error page, undefined for any other text. */
export function parseSupportCode(text: string): string | undefined {
  const trimmed = text.trim().replace(/^support code:? +/i, '')
  if (!supportCodePattern.test(trimmed)) return undefined
  const digits = trimmed.replace('-', '').toUpperCase()
  return `${digits.slice(0, 4)}-${digits.slice(4, 8)}`
}
