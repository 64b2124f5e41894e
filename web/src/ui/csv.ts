/** Prefixes an apostrophe to text that a spreadsheet would evaluate as a formula. */
const escapeCell = (text: string): string => (/^'*[=+\-@\t\r\n]/.test(text) ? `'${text}` : text)

function formatCell(value: string): string {
  const text = escapeCell(value)
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Formats a table as CSV (RFC 4180). */
export const formatCsv = (lines: readonly (readonly string[])[]): string =>
  lines.map((cells) => `${cells.map(formatCell).join(',')}\r\n`).join('')

/** Downloads a table as a file. */
export function saveCsv(name: string, lines: readonly (readonly string[])[]): void {
  const url = URL.createObjectURL(new Blob([formatCsv(lines)], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
