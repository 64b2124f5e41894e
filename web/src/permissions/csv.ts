/** What a spreadsheet would take for a formula is made text by an apostrophe before it. */
const escapeCell = (text: string): string => (/^'*[=+\-@\t\r\n]/.test(text) ? `'${text}` : text)

function cellOf(value: string): string {
  const text = escapeCell(value)
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Lines of a table (RFC 4180). */
export const csvOf = (lines: readonly (readonly string[])[]): string =>
  lines.map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('')

/** Gives the browser a table to save as a file. */
export function saveCsv(name: string, lines: readonly (readonly string[])[]): void {
  const address = URL.createObjectURL(new Blob([csvOf(lines)], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
