/** What a spreadsheet would take for a formula, however often it was escaped before. */
const risky = /^'*[=+\-@\t\r]/
const escaped = /^'+[=+\-@\t\r]/

/** A cell that no spreadsheet runs: an apostrophe goes before what it would take for a formula. */
export const escapeCell = (text: string): string => (risky.test(text) ? `'${text}` : text)

/** The text of a cell that `escapeCell` made. */
export const unescapeCell = (cell: string): string => (escaped.test(cell) ? cell.slice(1) : cell)

/** One line of a CSV (RFC 4180), its cells escaped. */
export function csvLine(cells: string[]): string {
  const quoted = cells.map(escapeCell).map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
  return `${quoted.join(',')}\r\n`
}
