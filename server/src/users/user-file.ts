import { unescapeCell } from '@passport/contract/csv'
import { Email } from '@passport/contract/email'
import type { RowErrorCode } from '@passport/contract/row-errors'
import type { FileColumn as DescribedColumn, FileEncoding, RowError } from '@passport/contract/user-imports'
import { Username } from '@passport/contract/username'
import { DisplayName } from '@passport/contract/users'
import * as z from 'zod/mini'
import { InvalidCsv, readCsvRecords } from '../http/csv-records.ts'
import { cutText } from '../http/storable-text.ts'
import type { UserInput } from './create.ts'
import { type FileColumn, findColumn, userColumns } from './file-columns.ts'
import { decodeUserFile } from './file-encoding.ts'
import { findLayout, InvalidUserFile } from './file-layout.ts'

/** A row of a file of users. Its errors are found without regard to existing users. */
export interface FileRow {
  /** Its first line; the first line of the file is 1. */
  line: number
  /** What is valid of it. */
  user: UserInput
  /** The cells of further columns. */
  cells: ReadonlyMap<FileColumn, string>
  errors: Omit<RowError, 'line'>[]
}

/** A file of users in CSV. */
export interface UserFile {
  encoding: FileEncoding
  separator: string
  columns: DescribedColumn[]
  /** The rows, to be read once. Throws `InvalidUserFile` for what is not CSV. */
  rows: Generator<FileRow>
}

interface ReadOptions {
  /** The columns to read in addition to those of a user's form. */
  additional?: readonly FileColumn[]
  maxLines?: number
}

/** A column of the file that is read. */
interface ReadColumn {
  column: FileColumn
  index: number
  header: string
}

/**
 * Opens a CSV file of users: of Passport, or of another system whose columns are in the table. Finds its encoding and
 * separator. Throws `InvalidUserFile` for other files.
 */
export async function openUserFile(
  bytes: Uint8Array,
  { additional = [], maxLines = Number.POSITIVE_INFINITY }: ReadOptions = {},
): Promise<UserFile> {
  const { text, encoding } = await decodeUserFile(bytes)
  if (hasMoreLines(text, maxLines))
    throw new InvalidUserFile(`The file has more than ${maxLines.toLocaleString('en')} lines.`)
  const layout = findLayout(text)
  const { headers, hasHeader, separator, start, line } = layout
  const allowed = new Set([...userColumns, ...additional])
  const found = headers.map((header, index) => ({ ...findColumn(header), index, header: nameHeader(header, index) }))
  const read = found
    .flatMap(({ column, rank = 0, ...rest }) => (column && allowed.has(column) ? { column, rank, ...rest } : []))
    .sort((a, b) => a.rank - b.rank)
  for (const [index, { column, rank, header }] of read.entries())
    if (read.findIndex((other) => other.column === column && other.rank === rank) !== index)
      throw new InvalidUserFile(`The column ${header} is listed twice.`)
  const described = found
    .filter(({ column, index }) => column || headers[index]?.trim())
    .map(({ column, header }) => describeColumn(header, column, allowed))
  const width = hasHeader ? headers.findLastIndex((header) => header.trim() !== '') + 1 : 0
  return {
    encoding,
    separator,
    columns: described,
    rows: readRows(),
  }

  function* readRows(): Generator<FileRow> {
    const records = readCsvRecords(text, { separator, start, line })
    try {
      if (hasHeader) records.next()
      for (const { line, cells } of records) yield { line, ...readUser(cells, read, width) }
    } catch (error) {
      if (error instanceof InvalidCsv) throw new InvalidUserFile(error.message)
      throw error
    }
  }
}

function hasMoreLines(text: string, max: number): boolean {
  if (max === Number.POSITIVE_INFINITY) return false
  let lines = 1
  for (const end of ['\n', '\r'])
    for (let index = text.indexOf(end); index >= 0 && lines <= max; index = text.indexOf(end, index + 1))
      if (end === '\n' || text[index + 1] !== '\n') lines++
  return lines > max
}

const maxHeader = 100

const nameHeader = (header: string, index: number) => cutText(header.trim(), maxHeader) || `column ${index + 1}`

function describeColumn(
  name: string,
  column: FileColumn | undefined,
  allowed: ReadonlySet<FileColumn>,
): DescribedColumn {
  if (column && allowed.has(column)) return { name, column, ignored: null }
  const reason = column === undefined ? 'unknown' : column === 'password' ? 'password' : 'other-import'
  return { name, column: null, ignored: reason }
}

const schemas = { username: Username, displayname: DisplayName, email: Email } as const
const maxShownValue = 200
/** The number of roles that a form of a user may have. */
const maxRoles = 100

/** Creates an error of a row, with the beginning of the invalid text. */
export const createRowError = (
  code: string,
  column: string | null = null,
  { header = '', value = '' }: { header?: string; value?: string } = {},
): FileRow['errors'][number] => {
  return { column, header: header || null, code, value: cutText(value, maxShownValue) || null }
}

/** Converts the cells of a row. `width` is the number of cells that it must have, 0 if that varies. */
function readUser(record: string[], columns: ReadColumn[], width: number): Omit<FileRow, 'line'> {
  const errors: FileRow['errors'] = []
  const addError = (code: RowErrorCode, column: FileColumn | null = null, { header = '', value = '' } = {}) =>
    errors.push(createRowError(code, column, { header, value }))
  if (record.length < width) addError('cells-missing')
  if (width > 0 && record.slice(width).some((cell) => cell.trim() !== '')) addError('cells-extra')
  const found = new Map<FileColumn, { value: string; header: string }>()
  for (const { column, index, header } of columns) {
    const value = unescapeCell(record[index] ?? '').trim()
    if (value.includes('\ufffd')) addError('replacement-character', column, { header, value })
    else if (value !== '' && !found.has(column)) found.set(column, { value, header })
  }
  const readText = (column: keyof typeof schemas, cell: { value: string; header: string } | undefined) => {
    if (!cell) return null
    const { success, data } = z.safeParse(schemas[column], cell.value)
    if (!success) addError(`${column}-invalid`, column, cell)
    return success ? data : null
  }
  const readBoolean = (column: FileColumn, [yes, no]: readonly [Set<string>, Set<string>] = booleans) => {
    const cell = found.get(column)
    if (!cell) return undefined
    const word = cell.value.toLowerCase()
    if (!yes.has(word) && !no.has(word)) addError('true-or-false', column, cell)
    return yes.has(word)
  }
  const signInName = found.get('signInName')
  const isEmail = signInName?.value.includes('@')
  const names = ['givenName', 'familyName'].flatMap((column) => found.get(column as FileColumn) ?? [])
  const fullName = { value: names.map(({ value }) => value).join(' '), header: names[0]?.header ?? '' }
  const username = readText('username', found.get('username') ?? (isEmail ? undefined : signInName))
  const displayName = readText('displayname', found.get('displayname') ?? (names.length > 0 ? fullName : undefined))
  const email = readText('email', found.get('email') ?? (isEmail ? signInName : undefined))
  const emailVerified = readBoolean('emailVerified') ?? false
  const isDisabled = readBoolean('disabled') ?? false
  const isEnabled = readBoolean('enabled', states) ?? true
  const roles = [...new Set(found.get('roles')?.value.split(/[\s;,]+/))].filter(Boolean)
  if (roles.length > maxRoles) addError('too-many-roles', 'roles', found.get('roles'))
  return {
    user: {
      username,
      displayName,
      email,
      emailVerified: emailVerified && email !== null,
      isDisabled: isDisabled || !isEnabled,
      roles: roles.length > maxRoles ? [] : roles,
    },
    cells: new Map([...found].map(([column, { value }]) => [column, value])),
    errors,
  }
}

const booleans = [new Set(['true', 'yes', '1']), new Set(['false', 'no', '0'])] as const
/** The states of Google's accounts, too. */
const states = [new Set([...booleans[0], 'active']), new Set([...booleans[1], 'suspended', 'archived'])] as const
