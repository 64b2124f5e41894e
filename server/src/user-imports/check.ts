import { Email } from '@passport/contract/email'
import { importColumns } from '@passport/contract/import-columns'
import { Username } from '@passport/contract/username'
import { DisplayName } from '@passport/contract/users'
import { CsvError, parse } from 'csv-parse'
import * as z from 'zod/mini'
import { unescapeCell } from '../http/csv.ts'
import { Problem } from '../http/problem.ts'
import { isStorable } from '../http/storable.ts'
import type { Person } from '../users/create.ts'

type Column = (typeof importColumns)[number]

/** A row of a file, before anybody looks for who is there already. */
export interface CheckedRow {
  line: number
  person: Person
  fault?: { column: string | null; code: string }
}

/** Reads a CSV row by row. Throws 400 `csv-invalid` where it is none, or has no column that is known. */
export async function* readRows(text: string): AsyncGenerator<CheckedRow> {
  const records = parse(text, { bom: true, skip_empty_lines: true, relax_column_count: true, info: true })
  let columns: (Column | undefined)[] | undefined
  let width = 0
  let lastLine = 0
  try {
    for await (const { record, info } of records as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      const line = lastLine + 1
      lastLine = info.lines
      if (columns) yield checkedRow(line, record, columns, width)
      else {
        columns = record.map(columnOf)
        width = record.length
        refuseColumns(columns)
      }
    }
  } catch (error) {
    if (error instanceof CsvError) throw invalid(error.message)
    throw error
  }
  if (!columns) throw invalid('The file is empty.')
}

const invalid = (detail: string) => new Problem(400, 'csv-invalid', detail)

/** However the name of a column is written: `Display name`, `display_name`. */
const plain = (name: string) => name.toLowerCase().replace(/[^a-z]/g, '')
const columnOf = (name: string) => importColumns.find((column) => plain(column) === plain(name))

function refuseColumns(columns: (Column | undefined)[]) {
  const known = columns.filter((column) => column !== undefined)
  if (known.length === 0) throw invalid(`The first line must name columns, some of: ${importColumns.join(', ')}.`)
  const twice = known.find((column, at) => known.indexOf(column) !== at)
  if (twice) throw invalid(`The column ${twice} is there twice.`)
}

const schemas = { username: Username, displayname: DisplayName, email: Email } as const

function checkedRow(line: number, record: string[], columns: (Column | undefined)[], width: number): CheckedRow {
  const cells = new Map(columns.map((column, at) => [column, unescapeCell(record[at] ?? '').trim()]))
  let fault: CheckedRow['fault']
  const blame = (column: string | null, code: string) => {
    fault ??= { column, code }
  }
  if (record.length !== width) blame(null, 'cells-missing')
  const text = (column: keyof typeof schemas) => {
    const cell = cells.get(column) ?? ''
    if (cell === '') return null
    const parsed = isStorable(cell) ? z.safeParse(schemas[column], cell) : undefined
    if (parsed?.success) return parsed.data
    blame(column, `${column}-invalid`)
    return null
  }
  const truth = (column: 'emailVerified' | 'disabled') => {
    const cell = (cells.get(column) ?? '').toLowerCase()
    if (!['', 'true', 'false'].includes(cell)) blame(column, 'true-or-false')
    return cell === 'true'
  }
  const person: Person = {
    username: text('username'),
    displayName: text('displayname'),
    email: text('email'),
    emailVerified: truth('emailVerified'),
    isDisabled: truth('disabled'),
    roles: [...new Set((cells.get('roles') ?? '').split(/[\s;]+/).filter(Boolean))],
  }
  if (person.roles.some((role) => !isStorable(role))) blame('roles', 'role-not-found')
  if (!person.username && !person.displayName && !person.email) blame(null, 'nobody')
  return { line, person: fault ? { ...person, roles: [] } : person, ...(fault && { fault }) }
}
