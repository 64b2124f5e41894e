import type { RowError } from '@passport/contract/user-imports'

/** A row of a file; `line` counts from 1, the header line. */
interface CsvRow {
  line: number
  cells: string[]
}

/** Reads the rows of a CSV one by one, the header first; empty lines are skipped, as in the check of the server. */
export function* readCsv(text: string): Generator<CsvRow> {
  let [line, startLine, cell, isQuoted] = [1, 1, '', false]
  let cells: string[] = []
  const start = text.startsWith('\uFEFF') ? 1 : 0
  for (let index = start; index <= text.length; index++) {
    const character = text[index]
    if (isQuoted && character !== undefined) {
      if (character === '\n') line++
      if (character !== '"') cell += character
      else if (text[index + 1] === '"') cell += text[++index]
      else isQuoted = false
    } else if (character === '"' && cell === '') isQuoted = true
    else if (character === ',') {
      cells.push(cell)
      cell = ''
    } else if (character === undefined || character === '\n' || character === '\r') {
      if (character === '\r' && text[index + 1] === '\n') index++
      if (cells.length > 0 || cell !== '') yield { line: startLine, cells: [...cells, cell] }
      cells = []
      cell = ''
      startLine = ++line
    } else cell += character
  }
}

/** A row of the preview; `column` is the index of the faulty cell, -1 if the fault is that of the row. */
export interface PreviewRow extends CsvRow {
  fault?: { column: number; code: string }
}

/** More rows would not be read. */
const maxRows = 50
const maxFineRows = 10

const normalizeName = (name: string) => name.toLowerCase().replace(/[^a-z]/g, '')

/** Returns the header of a file, its faulty rows, and some of the others, in the order of the file. */
export function previewRows(text: string, errors: readonly RowError[]): { header: string[]; rows: PreviewRow[] } {
  const errorsByLine = new Map(errors.slice(0, maxRows).map((error) => [error.line, error]))
  const fineCount = Math.min(maxFineRows, maxRows - errorsByLine.size)
  const rows: PreviewRow[] = []
  let header: string[] | undefined
  let [left, fine] = [errorsByLine.size, 0]
  for (const row of readCsv(text)) {
    if (!header) {
      header = row.cells
      continue
    }
    const error = errorsByLine.get(row.line)
    if (error) {
      const column = header.findIndex((name) => normalizeName(name) === normalizeName(error.column ?? '?'))
      rows.push({ ...row, fault: { column: error.column ? column : -1, code: error.code } })
      left--
    } else if (fine < fineCount) {
      rows.push(row)
      fine++
    }
    if (left === 0 && fine >= fineCount) break
  }
  return { header: header ?? [], rows }
}
