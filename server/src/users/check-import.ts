import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { unescapeCell } from '@passport/contract/csv'
import { Email } from '@passport/contract/email'
import { importColumns } from '@passport/contract/import-columns'
import { Username } from '@passport/contract/username'
import { DisplayName } from '@passport/contract/users'
import { CsvError, parse } from 'csv-parse'
import * as z from 'zod/mini'
import { isValidText } from '../http/storable-text.ts'
import type { UserInput } from './create.ts'
import { csvInvalid } from './problems.ts'

type Column = (typeof importColumns)[number]

/** A row of an import file; its error is found without regard to existing users. */
export interface CheckedRow {
  /** Counts from 1, the header line. */
  line: number
  user: UserInput
  error?: { column: string | null; code: string }
}

const options = {
  bom: true,
  skip_empty_lines: true,
  relax_column_count: true,
  info: true,
  // In bytes: the parser takes seconds for a cell of many megabytes, and 3 µs for each cell.
  max_record_size: 16 * 1024,
} as const
/** The size of a chunk, which parses in less than 50 ms whatever the length of the rows. */
const chunkBytes = 4 * 1024

/** Each cell takes the parser 3 µs, and empty cells do not count towards the record size. */
const maxCommasPerLine = 1000

/**
 * Yields the file in chunks, and lets the event loop run after each. Throws `csv-invalid` for too many commas in a
 * line.
 */
async function* splitIntoChunks(text: string): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text)
  let commas = 0
  for (let index = 0; index < bytes.length; index += chunkBytes) {
    const chunk = bytes.subarray(index, index + chunkBytes)
    for (const byte of chunk) {
      if (byte === lineEnd) commas = 0
      else if (byte === comma && ++commas > maxCommasPerLine)
        throw csvInvalid(`A line must have at most ${maxCommasPerLine} commas.`)
    }
    yield chunk
    await setImmediate()
  }
}

const [comma, lineEnd] = [','.charCodeAt(0), '\n'.charCodeAt(0)]

/** The number of lines in 20 MB of typical rows. */
const maxLines = 200_000

/** Parses a CSV file row by row. Throws 400 `csv-invalid` for invalid CSV, without a known column, or above a limit. */
export async function* readRows(text: string): AsyncGenerator<CheckedRow> {
  requireLineLimit(text)
  const chunks = Readable.from(splitIntoChunks(text))
  const records = chunks.pipe(parse(options))
  chunks.on('error', (error) => records.destroy(error))
  let columns: KnownColumn[] | undefined
  let width = 0
  let lastLine = 0
  try {
    for await (const { record, info } of records as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      const line = lastLine + 1
      lastLine = info.lines
      if (columns) yield toCheckedRow(line, record, columns, width)
      else {
        columns = record.flatMap((name, index) => {
          const column = findColumn(name)
          return column ? [{ column, index }] : []
        })
        width = record.length
        requireValidColumns(columns)
      }
    }
  } catch (error) {
    if (error instanceof CsvError) throw csvInvalid(error.message)
    throw error
  }
  if (!columns) throw csvInvalid('The file is empty.')
}

function requireLineLimit(text: string) {
  let lines = 1
  for (let index = text.indexOf('\n'); index >= 0; index = text.indexOf('\n', index + 1)) lines++
  if (lines > maxLines) throw csvInvalid(`A file must have at most ${maxLines.toLocaleString('en')} lines.`)
}

/** Normalises the name of a column: `Display name` and `display_name` give `displayname`. */
const normaliseName = (name: string) => name.toLowerCase().replace(/[^a-z]/g, '')
const columnsByName = new Map<string, Column>(importColumns.map((column) => [normaliseName(column), column]))
const findColumn = (name: string) => columnsByName.get(normaliseName(name))

/** The position of a known column. Unknown columns are skipped, since a file may have very many. */
interface KnownColumn {
  column: Column
  index: number
}

function requireValidColumns(columns: KnownColumn[]) {
  const known = columns.map(({ column }) => column)
  if (known.length === 0)
    throw csvInvalid(`The first line must contain column names. Allowed columns: ${importColumns.join(', ')}.`)
  const duplicate = known.find((column, index) => known.indexOf(column) !== index)
  if (duplicate) throw csvInvalid(`The column ${duplicate} is listed twice.`)
}

const schemas = { username: Username, displayname: DisplayName, email: Email } as const

function toCheckedRow(line: number, record: string[], columns: KnownColumn[], width: number): CheckedRow {
  const cells = new Map(columns.map(({ column, index }) => [column, unescapeCell(record[index] ?? '').trim()]))
  let error: CheckedRow['error']
  const setError = (column: string | null, code: string) => {
    error ??= { column, code }
  }
  if (record.length !== width) setError(null, 'cells-missing')
  const readText = (column: keyof typeof schemas) => {
    const cell = cells.get(column) ?? ''
    if (cell === '') return null
    const parsed = isValidText(cell) ? z.safeParse(schemas[column], cell) : undefined
    if (parsed?.success) return parsed.data
    setError(column, `${column}-invalid`)
    return null
  }
  const readBoolean = (column: 'emailVerified' | 'disabled') => {
    const cell = (cells.get(column) ?? '').toLowerCase()
    if (!['', 'true', 'false'].includes(cell)) setError(column, 'true-or-false')
    return cell === 'true'
  }
  const user: UserInput = {
    username: readText('username'),
    displayName: readText('displayname'),
    email: readText('email'),
    emailVerified: readBoolean('emailVerified'),
    isDisabled: readBoolean('disabled'),
    roles: [...new Set((cells.get('roles') ?? '').split(/[\s;]+/).filter(Boolean))],
  }
  if (user.roles.some((role) => !isValidText(role))) setError('roles', 'role-not-found')
  if (!user.username && !user.displayName && !user.email) setError(null, 'nobody')
  return { line, user: error ? { ...user, roles: [] } : user, ...(error && { error }) }
}
