import type { RowError } from '@passport/contract/user-imports'

/** A row of a file; `line` is its first line, from 1 for the header. */
interface CsvRow {
  line: number
  cells: string[]
}

/** Yields the rows of a CSV file, the header first. Skips empty lines, like the server's check. */
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

/** A row of the preview; `column` is the index of the invalid cell, -1 if the error concerns the row. */
export interface PreviewRow extends CsvRow {
  error?: { column: number; code: string }
}

const maxRows = 50
const maxValidRows = 10

const normaliseName = (name: string) => name.toLowerCase().replace(/[^a-z]/g, '')

/** Returns the header, the invalid rows and the first valid rows, in the order of the file; at most 50 rows. */
export function previewRows(text: string, errors: readonly RowError[]): { header: string[]; rows: PreviewRow[] } {
  const errorsByLine = new Map(errors.slice(0, maxRows).map((error) => [error.line, error]))
  const maxValid = Math.min(maxValidRows, maxRows - errorsByLine.size)
  const rows: PreviewRow[] = []
  let header: string[] | undefined
  let [invalidLeft, validCount] = [errorsByLine.size, 0]
  for (const row of readCsv(text)) {
    if (!header) {
      header = row.cells
      continue
    }
    const error = errorsByLine.get(row.line)
    if (error) {
      const column = header.findIndex((name) => normaliseName(name) === normaliseName(error.column ?? '?'))
      rows.push({ ...row, error: { column: error.column ? column : -1, code: error.code } })
      invalidLeft--
    } else if (validCount < maxValid) {
      rows.push(row)
      validCount++
    }
    if (invalidLeft === 0 && validCount >= maxValid) break
  }
  return { header: header ?? [], rows }
}

/** The texts of the files checked in this tab, by import id. Their previews are only available here. */
export const checkedTexts = new Map<string, string>()
