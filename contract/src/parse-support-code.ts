const supportCodePattern = /^(?:[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}|[0-9a-fA-F]{32})$/

/** Parses a support code, and returns it as on the error page, or a trace id; undefined for any other text. */
export function parseSupportCode(text: string): string | undefined {
  const trimmed = text.trim().replace(/^support code:? +/i, '')
  if (!supportCodePattern.test(trimmed)) return undefined
  if (trimmed.length === 32) return trimmed.toLowerCase()
  const digits = trimmed.replace('-', '').toUpperCase()
  return `${digits.slice(0, 4)}-${digits.slice(4, 8)}`
}
