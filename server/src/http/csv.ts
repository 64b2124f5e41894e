/**
 * A line of a table (RFC 4180). What a spreadsheet would take for a formula is made text by a `'` before it, and what it
 * may split cells at, by its country, is quoted.
 */
export const csvLine = (cells: (string | null)[]): string => `${cells.map(cellOf).join(',')}\r\n`

function cellOf(value: string | null): string {
  const text = value === null ? '' : escapeCell(value)
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** However often it was escaped before: each time can be taken back. */
const risky = /^'*[=+\-@\t\r\n]/
const escaped = /^'+[=+\-@\t\r\n]/

const escapeCell = (text: string): string => (risky.test(text) ? `'${text}` : text)

/** The text of a cell of a line that `csvLine` made. */
export const unescapeCell = (cell: string): string => (escaped.test(cell) ? cell.slice(1) : cell)
