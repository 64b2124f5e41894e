import { Moment } from '@passport/contract/instant'
import { type CursorQuery, maxCounted, maxOffset, type PageQuery } from '@passport/contract/page'
import * as z from 'zod/mini'
import { parseForeignJson } from './foreign-json.ts'
import { cursorInvalid, pageTooFar } from './problems.ts'

/** A keyset cursor: the sort key of the last row sent, then its id. */
export type Cursor = readonly [key: string, id: string]

/** Encodes a cursor, opaque to clients. */
export const encodeCursor = (cursor: Cursor): string => Buffer.from(JSON.stringify(cursor)).toString('base64url')

/** Decodes a cursor. Throws 400 `cursor-invalid` if it is malformed or if `isKey` rejects its sort key. */
export function decodeCursor(
  after: string | undefined,
  isKey: (key: string) => boolean = () => true,
): Cursor | undefined {
  if (after === undefined) return undefined
  try {
    const parts = parseForeignJson(Buffer.from(after, 'base64url'))
    const isPair = Array.isArray(parts) && parts.length === 2 && parts.every((part) => typeof part === 'string')
    if (isPair && isKey(parts[0] as string)) return parts as unknown as Cursor
  } catch {}
  throw cursorInvalid()
}

interface PageInput<Row> {
  /** The path of the request. */
  path: string
  /** The query of the caller, which is repeated in `next`. */
  query: PageQuery & Record<string, unknown>
  /** The rows of the page and, if there are more, one further row. */
  rows: Row[]
  /** The row count, exact up to `maxCounted` and estimated beyond. */
  count: number
  cursorOf: (row: Row) => Cursor
}

/** Builds a page of the contract's `page`, with rows as items. */
export function toPage<Row>({ path, query, rows, count, cursorOf }: PageInput<Row>) {
  const { limit, page } = query
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  const nextQuery = { ...query, page: page + 1, after: last && encodeCursor(cursorOf(last)) }
  return {
    items,
    page,
    limit,
    ...correctTotal(query, rows.length, count),
    next: rows.length > limit && last ? `${path}?${formatQuery(nextQuery)}` : null,
  }
}

/** Returns the total, with an estimate corrected by the position of the page: the last page has the exact total. */
function correctTotal({ limit, page, after }: PageQuery, rowCount: number, count: number) {
  if (count <= maxCounted) return { total: count }
  const knownRows = after === undefined && rowCount > 0 ? (page - 1) * limit + rowCount : 0
  if (knownRows > 0 && rowCount <= limit) return { total: knownRows }
  return { total: Math.max(count, knownRows), totalIsExact: false as const }
}

/**
 * Returns the number of rows before a page; 0 with a cursor. Throws 400 from `maxOffset` on, where pages need a cursor.
 */
export function offsetOf({ limit, page, after }: PageQuery): number {
  const offset = (page - 1) * limit
  if (after !== undefined) return 0
  if (offset < maxOffset) return offset
  throw pageTooFar(maxOffset)
}

interface CursorPageInput<Row> extends Pick<PageInput<Row>, 'path' | 'rows' | 'cursorOf'> {
  query: CursorQuery & Record<string, unknown>
}

/** Builds a page of the contract's `cursorPage`, with rows as items. */
export function toCursorPage<Row>({ path, query, rows, cursorOf }: CursorPageInput<Row>) {
  const { limit } = query
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  const nextQuery = { ...query, after: last && encodeCursor(cursorOf(last)) }
  return { items, limit, next: rows.length > limit && last ? `${path}?${formatQuery(nextQuery)}` : null }
}

/** Decodes a cursor with an instant as its key. Throws like `decodeCursor`. */
export const decodeInstantCursor = (after: string | undefined): Cursor | undefined => decodeCursor(after, isInstant)

/** Reports whether the key of a cursor is a valid instant. */
export const isInstant = (key: string): boolean => z.safeParse(Moment, key).success

/** Reports whether the key of a cursor is a number of rows. */
export const isCount = (key: string): boolean => /^\d{1,9}$/.test(key)

function formatQuery(query: Record<string, unknown>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return search.toString()
}
