import { maxOffset } from '@passport/contract/page'
import { type Cursor, decodeCursor, encodeCursor, isInstant } from '../http/paging.ts'
import { isValidText } from '../http/storable-text.ts'
import { type Filter, parseAttributePath, parseFilter } from './filter.ts'
import type { Selection } from './project.ts'
import { invalidValue, ScimError } from './scim-error.ts'
import { isObject } from './values.ts'

/** The most resources in a response. */
export const maxPageSize = 200
const defaultPageSize = 100

/** A query of a list (RFC 7644, section 3.4.2, and RFC 9865). */
export interface ListQuery {
  filter: Filter | undefined
  /** The column to sort by. */
  key: string
  isDescending: boolean
  limit: number
  /** The number of rows before the page; 0 with a cursor. */
  offset: number
  /** Set if the client pages by cursor: null for the first page. */
  cursor: { after: Cursor | null } | undefined
  selection: Selection
}

/** Reads the parameters of a list. `orders` has the columns of the attributes that sort, by their names in lower case. */
export function readListQuery(
  parameters: URLSearchParams,
  orders: Readonly<Record<string, string> & { created: string }>,
): ListQuery {
  const filter = parameters.get('filter')
  const key = readOrder(parameters.get('sortBy'), orders)
  const cursor = parameters.get('cursor')
  const after = cursor === null ? undefined : cursor === '' ? null : readCursor(cursor, key)
  const start = readCount(parameters.get('startIndex'), 1)
  const offset = after === undefined ? Math.max(start, 1) - 1 : 0
  if (offset > maxOffset)
    throw invalidValue(`startIndex reaches ${maxOffset} resources.`, 'Read the rest by cursor (RFC 9865).')
  return {
    filter: filter === null || filter.trim() === '' ? undefined : parseFilter(filter),
    key,
    isDescending: parameters.get('sortOrder')?.toLowerCase() === 'descending',
    limit: Math.min(Math.max(readCount(parameters.get('count'), defaultPageSize), 0), maxPageSize),
    offset,
    cursor: after === undefined ? undefined : { after },
    selection: readSelection(parameters),
  }
}

function readOrder(sortBy: string | null, orders: Readonly<Record<string, string> & { created: string }>): string {
  if (sortBy === null || sortBy === '') return orders.created
  const { name = '', sub } = parseAttributePath(sortBy) ?? {}
  const wanted = (name.toLowerCase() === 'meta' ? sub : sub === undefined ? name : undefined)?.toLowerCase() ?? ''
  const key = Object.hasOwn(orders, wanted) ? orders[wanted] : undefined
  if (key === undefined) throw invalidValue(`Resources cannot be sorted by ${sortBy.slice(0, 100)}.`)
  return key
}

function readCursor(text: string, key: string): Cursor {
  const invalid = new ScimError(400, 'The cursor is not valid for this list.', {
    scimType: 'invalidCursor',
    help: 'Begin again with an empty cursor.',
  })
  try {
    const cursor = decodeCursor(text, key === 'created_at' ? isInstant : undefined)
    if (cursor) return cursor
  } catch {}
  throw invalid
}

function readCount(text: string | null, otherwise: number): number {
  if (text === null || text === '') return otherwise
  const count = Number(text)
  if (Number.isSafeInteger(count)) return count
  throw new ScimError(400, 'count and startIndex must be integers.', { scimType: 'invalidCount' })
}

/** Reads `attributes` and `excludedAttributes`. */
export function readSelection(parameters: URLSearchParams): Selection {
  const read = (name: string) =>
    (parameters.get(name) ?? '')
      .split(',')
      .map((path) => path.trim())
      .filter((path) => path !== '')
      .slice(0, 100)
  return { included: read('attributes'), excluded: read('excludedAttributes') }
}

/** Converts the body of a search (RFC 7644, section 3.4.3) to the parameters of a list. */
export function toParameters(body: unknown): URLSearchParams {
  if (!isObject(body)) throw new ScimError(400, 'The body must be a JSON object.', { scimType: 'invalidSyntax' })
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(body)) {
    if (name === 'schemas' || value === null || value === undefined) continue
    const text = Array.isArray(value) ? value.join(',') : String(value)
    if ((typeof value === 'object' && !Array.isArray(value)) || !isValidText(text))
      throw invalidValue(`${name.slice(0, 100)} is not valid.`)
    parameters.set(name, text)
  }
  return parameters
}

/** Builds the response of a list from one more row than the page has, if there are more. */
export function toListResponse(
  { limit, offset, cursor }: ListQuery,
  rows: { id: string; key: string }[],
  resources: unknown[],
  total: number,
) {
  const last = rows[limit - 1]
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults: total,
    itemsPerPage: resources.length,
    ...(cursor
      ? rows.length > limit && last && { nextCursor: encodeCursor([last.key, last.id]) }
      : { startIndex: offset + 1 }),
    Resources: resources,
  }
}
