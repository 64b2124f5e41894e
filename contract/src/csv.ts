/**
 * Matches what a spreadsheet evaluates as a formula: after white space and invisible characters, which it may trim, one of
 * = + - @ or its full-width or small form. A first tab or line break is risky with any text. Matches escaped cells too, so
 * that every escape can be undone.
 */
const risky = /^'*(?:[\t\r\n]|[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠﹦﹢﹣﹫])/u

/** Formats cells as a CSV line (RFC 4180). Cells that a spreadsheet might split in some locale are quoted. */
export const formatCsvLine = (cells: readonly (string | null)[]): string => `${cells.map(formatCell).join(',')}\r\n`

function formatCell(value: string | null): string {
  const text = value === null ? '' : escapeCell(value)
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Prefixes `'` to a cell that a spreadsheet would evaluate as a formula. */
const escapeCell = (text: string): string => (risky.test(text) ? `'${text}` : text)

/** Removes the prefix of a cell by `formatCsvLine`. */
export const unescapeCell = (cell: string): string => (cell.startsWith("'") && risky.test(cell) ? cell.slice(1) : cell)
