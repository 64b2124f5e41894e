import { type CsvOptions, InvalidCsv, readCsvRecords } from '../http/csv-records.ts'
import { cutText } from '../http/storable-text.ts'
import { columns, findColumn, firebaseColumns } from './file-columns.ts'

/** Thrown for a file that is not a file of users. The message is a sentence for the user. */
export class InvalidUserFile extends Error {}

/** Where the records of a file are, and what their cells mean. */
export interface FileLayout {
  separator: string
  headers: string[]
  /** Whether the first record has the headers. */
  hasHeader: boolean
  /** The index and the line of the first record. */
  start: number
  line: number
}

/** Separators, the usual one first. */
const separators = [',', ';', '\t']
/** The first line of a file for Excel, which names the separator. */
const separatorLine = /^"?sep=([^"\p{L}\p{N}])"?[,;\t ]*$/iu
/** The first line of Entra ID's template for bulk creation: `version:v1.0,,,`. */
const versionLine = /^"?version:? *v?\d[\d.]*"?[,;\t ]*$/i

/** Finds the separator and the headers of CSV. Throws `InvalidUserFile` if it has no known column. */
export function findLayout(text: string): FileLayout {
  const { start, line, separator } = skipPreamble(text)
  const candidates = (separator === undefined ? separators : [separator]).map((separator) => {
    const first = readFirstRecord(text, { separator, start, line })
    return { ...first, separator, known: first.headers.filter(findColumn).length }
  })
  const best = candidates.reduce((best, other) => (other.known > best.known ? other : best))
  if (best.known > 0) return { separator: best.separator, headers: best.headers, hasHeader: true, start, line }
  const firebase = candidates.find(({ headers }) => isOfFirebase(headers))
  if (firebase) return { separator: firebase.separator, headers: firebaseColumns, hasHeader: false, start, line }
  throw new InvalidUserFile(best.error ?? describeMissingHeader(text.slice(start), line))
}

function readFirstRecord(text: string, options: CsvOptions) {
  try {
    const first = readCsvRecords(text, options).next()
    return { headers: first.done ? [] : first.value.cells }
  } catch (error) {
    if (error instanceof InvalidCsv) return { headers: [], error: error.message }
    throw error
  }
}

/** Skips empty lines, and the lines of Excel and Entra ID before the headers. */
function skipPreamble(text: string): { start: number; line: number; separator?: string } {
  let [start, line] = [0, 1]
  let separator: string | undefined
  // The parser skips further empty lines.
  while (line <= maxPreambleLines) {
    const [whole, content] = /^([^\r\n]*)(?:\r\n|\r|\n)/.exec(text.slice(start, start + maxPreambleLine)) ?? []
    if (whole === undefined || content === undefined) break
    const declared = separatorLine.exec(content)?.[1]
    if (!declared && content.trim() !== '' && !versionLine.test(content)) break
    separator = declared ?? separator
    start += whole.length
    line++
  }
  return { start, line, ...(separator && { separator }) }
}

const maxPreambleLine = 1000
const maxPreambleLines = 100

/** Recognises a user of `firebase auth:export`: the third cell says whether the email is verified, the 24th is a time. */
const isOfFirebase = (cells: string[]) =>
  cells.length >= 26 &&
  cells.length <= firebaseColumns.length &&
  /^(?:true|false)$/.test(cells[2] ?? '') &&
  /^\d*$/.test(cells[23] ?? '')

const maxShown = 120

function describeMissingHeader(text: string, line: number): string {
  const [first = ''] = text.slice(0, maxShown + 1).split(/[\r\n]/)
  if (first === '') return 'The file is empty.'
  const shown = first.length > maxShown ? `${cutText(first, maxShown)}…` : first
  const names = columns.map(({ names: [name] }) => name).filter((name) => name !== 'password')
  return `No column of line ${line} is known, by commas, semicolons or tabs: “${shown}”. Known columns: ${names.join(', ')}.`
}
