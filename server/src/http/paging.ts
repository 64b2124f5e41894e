import { Moment } from '@passport/contract/instant'
import { type CursorQuery, maxCounted, type PageQuery } from '@passport/contract/page'
import * as z from 'zod/mini'
import { Problem } from './problem.ts'

/** The place in a sorted list after which a page begins: the sort key of the last row that was sent, then its id. */
export type Cursor = readonly [key: string, id: string]

/** A cursor as clients carry it, opaque to them. */
export const encodeCursor = (cursor: Cursor): string => Buffer.from(JSON.stringify(cursor)).toString('base64url')

/**
 * Reads a cursor; throws 400 `cursor-invalid` for anything that no page of this list has sent, such as one whose key is
 * that of another list.
 */
export function decodeCursor(
  after: string | undefined,
  isKey: (key: string) => boolean = () => true,
): Cursor | undefined {
  if (after === undefined) return undefined
  try {
    const parts: unknown = JSON.parse(Buffer.from(after, 'base64url').toString())
    if (Array.isArray(parts) && parts.length === 2 && parts.every((part) => typeof part === 'string' && isText(part)))
      if (isKey(parts[0])) return parts as unknown as Cursor
  } catch {}
  const errors = [{ field: 'after', code: 'cursor-invalid', message: 'Take it from `next` of the page before.' }]
  throw new Problem(400, 'cursor-invalid', 'No page of this list ends there.', { errors })
}
const isText = (part: string) => part.isWellFormed() && !part.includes('\0')

interface Listed<Row> {
  /** The path of the endpoint, parameters filled in. */
  path: string
  /** What the caller asked with; it is repeated in `next`. */
  query: PageQuery & Record<string, unknown>
  /** The rows of the page and, where there are more, one that is not of it. */
  rows: Row[]
  /** How many there are, counted up to one more than `maxCounted`. */
  counted: number
  cursorOf: (row: Row) => Cursor
}

/** A page for the contract's `page`, its items still rows. */
export function pageOf<Row>({ path, query, rows, counted, cursorOf }: Listed<Row>) {
  const { limit, page } = query
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  const asked = { ...query, page: page + 1, after: last && encodeCursor(cursorOf(last)) }
  return {
    items,
    page,
    limit,
    total: Math.min(counted, maxCounted),
    ...(counted > maxCounted && { totalIsExact: false as const }),
    next: rows.length > limit && last ? `${path}?${searchOf(asked)}` : null,
  }
}

/** How many rows come before the page, where no cursor says it. Beyond what is counted there are only cursors: 400. */
export function offsetOf({ limit, page, after }: PageQuery): number {
  const offset = (page - 1) * limit
  if (after !== undefined) return 0
  if (offset < maxCounted) return offset
  const errors = [{ field: 'page', code: 'too-far', message: 'Follow `next`, or narrow the search.' }]
  throw new Problem(400, 'page-too-far', `Page numbers lead to the first ${maxCounted} only.`, { errors })
}

interface Read<Row> extends Pick<Listed<Row>, 'path' | 'rows' | 'cursorOf'> {
  query: CursorQuery & Record<string, unknown>
}

/** A page for the contract's `cursorPage`, its items still rows. */
export function cursorPageOf<Row>({ path, query, rows, cursorOf }: Read<Row>) {
  const { limit } = query
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  const asked = { ...query, after: last && encodeCursor(cursorOf(last)) }
  return { items, limit, next: rows.length > limit && last ? `${path}?${searchOf(asked)}` : null }
}

/** Reads a cursor whose key is an instant; throws as `decodeCursor` does. */
export const decodeInstantCursor = (after: string | undefined): Cursor | undefined => decodeCursor(after, isInstant)

/** Whether the key of a cursor can be that of a moment. */
export const isInstant = (key: string): boolean => z.safeParse(Moment, key).success

function searchOf(query: Record<string, unknown>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return search.toString()
}
