/**
 * Formats cells as a CSV line (RFC 4180). Cells that a spreadsheet would evaluate as a formula are prefixed with `'`,
 * and cells that it might split in some locale are quoted.
 */
export const formatCsvLine = (cells: (string | null)[]): string => `${cells.map(formatCell).join(',')}\r\n`

function formatCell(value: string | null): string {
  const text = value === null ? '' : escapeCell(value)
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Matches escaped cells too, so that every escape can be undone. */
const risky = /^'*[=+\-@\t\r\n]/
const escaped = /^'+[=+\-@\t\r\n]/

const escapeCell = (text: string): string => (risky.test(text) ? `'${text}` : text)

/** Removes the escape of a cell by `formatCsvLine`. */
export const unescapeCell = (cell: string): string => (escaped.test(cell) ? cell.slice(1) : cell)
