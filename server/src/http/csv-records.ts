/** A record of a CSV file; `line` is its first line. */
export interface CsvRecord {
  line: number
  cells: string[]
}

/** Thrown for text that is not CSV or exceeds a limit. The message is a sentence that names the line. */
export class InvalidCsv extends Error {}

/** The maximum length of a record, in UTF-16 code units. */
const maxRecordLength = 64 * 1024
/** The maximum number of cells of a record. */
const maxCells = 1000

export interface CsvOptions {
  separator?: string
  /** The index at which the first record starts, and the number of its line. */
  start?: number
  line?: number
}

/**
 * Yields the records of a CSV text (RFC 4180) without empty lines. Lines end with CRLF, LF or CR. A quotation mark within an
 * unquoted cell is part of it. Takes time in proportion to the text. Throws `InvalidCsv`.
 */
export function* readCsvRecords(
  text: string,
  { separator = ',', start = 0, line = 1 }: CsvOptions = {},
): Generator<CsvRecord> {
  let index = start
  while (index < text.length) {
    const record: CsvRecord = { line, cells: [] }
    const firstIndex = index
    const rejectOverLimit = () => {
      if (index - firstIndex > maxRecordLength)
        throw new InvalidCsv(`Line ${record.line} has more than ${maxRecordLength / 1024} Ki characters.`)
      if (record.cells.length > maxCells) throw new InvalidCsv(`Line ${record.line} has more than ${maxCells} cells.`)
    }
    let isQuoted = false
    for (;;) {
      const opening = skipSpaces(text, index)
      if (text[opening] === '"') {
        const quoted = readQuoted(text, opening, line)
        record.cells.push(quoted.value)
        line += quoted.lineBreaks
        index = skipSpaces(text, quoted.end)
        isQuoted = true
        if (index < text.length && text[index] !== separator && !isLineEnd(text, index))
          throw new InvalidCsv(`Line ${line} has text after a closing quotation mark.`)
      } else {
        const from = index
        const limit = Math.min(text.length, firstIndex + maxRecordLength + 1)
        while (index < limit && text[index] !== separator && !isLineEnd(text, index)) index++
        record.cells.push(text.slice(from, index))
      }
      rejectOverLimit()
      if (text[index] !== separator) break
      index++
    }
    index += text[index] === '\r' && text[index + 1] === '\n' ? 2 : 1
    line++
    const isEmpty = record.cells.length === 1 && !isQuoted && record.cells[0]?.trim() === ''
    if (!isEmpty) yield record
  }
}

const isLineEnd = (text: string, index: number) => text[index] === '\n' || text[index] === '\r'

function skipSpaces(text: string, start: number): number {
  let index = start
  while (text[index] === ' ') index++
  return index
}

/** Reads the quoted cell that opens at `start`; `end` is the index after its closing quotation mark. */
function readQuoted(text: string, start: number, line: number) {
  let value = ''
  let index = start + 1
  for (;;) {
    const closing = text.indexOf('"', index)
    if (closing < 0) throw new InvalidCsv(`The quotation mark that opens a cell in line ${line} is never closed.`)
    value += text.slice(index, closing)
    index = closing + 1
    if (text[index] !== '"') return { value, end: index, lineBreaks: value.match(/\r\n|\r|\n/g)?.length ?? 0 }
    value += '"'
    index++
    if (value.length > maxRecordLength)
      throw new InvalidCsv(`Line ${line} has more than ${maxRecordLength / 1024} Ki characters.`)
  }
}
