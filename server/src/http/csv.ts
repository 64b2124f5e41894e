/** A line of a table (RFC 4180). What a spreadsheet would take for a formula is made text by a `'` before it. */
export const csvLine = (cells: (string | null)[]): string => `${cells.map(cellOf).join(',')}\r\n`

function cellOf(value: string | null): string {
  const text = value === null ? '' : /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
