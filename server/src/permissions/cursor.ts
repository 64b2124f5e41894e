import { createHash } from 'node:crypto'
import { type Consistency, PermissionError, type Token } from '@passport/permissions'
import * as z from 'zod/mini'
import { parseForeignJson } from '../http/foreign-json.ts'

/** Encodes a position in the results of a request as a cursor, opaque to callers. */
export const encodeCursor = (request: object, position: object): string =>
  Buffer.from(JSON.stringify([digest(request), position])).toString('base64url')

/**
 * Returns the position in the cursor of a request, or undefined for the first page. Throws `cursor-mismatch` if the
 * cursor is malformed or belongs to another request.
 */
export function decodeCursor<Schema extends z.core.$ZodType>(
  schema: Schema,
  request: object & { cursor?: string | undefined },
): z.core.output<Schema> | undefined {
  if (request.cursor === undefined) return undefined
  const [requestDigest, encoded] = parseCursor(request.cursor)
  const position = z.safeParse(schema, encoded)
  if (requestDigest === digest(request) && position.success) return position.data
  throw new PermissionError('cursor-mismatch', 'The cursor belongs to a different request.', 'cursor')
}

/**
 * Returns the consistency of the page after that of `token`, which is at least as fresh. An exact snapshot or full
 * consistency is kept.
 */
const consistencyAfterPage = (token: Token, consistency: Consistency | undefined): Consistency =>
  consistency?.kind === 'atExactSnapshot' || consistency?.kind === 'fullyConsistent'
    ? consistency
    : { kind: 'atLeastAsFresh', token }

/**
 * Evaluates the first page, or the one after that of `token`. An invalid token is reported as `cursor-mismatch`, because
 * it came with the cursor.
 */
export async function evaluatePage<T>(
  token: Token | undefined,
  consistency: Consistency | undefined,
  evaluate: (consistency: Consistency | undefined) => Promise<T>,
): Promise<T> {
  if (token === undefined) return evaluate(consistency)
  try {
    return await evaluate(consistencyAfterPage(token, consistency))
  } catch (error) {
    if (!(error instanceof PermissionError) || error.code !== 'token-invalid') throw error
    throw new PermissionError('cursor-mismatch', 'The cursor has expired. Start again without a cursor.', 'cursor')
  }
}

/**
 * Returns a page from rows that were read up to one more than `limit`. `encodeLast` encodes the cursor after the last
 * row of the page.
 */
export function toPage<Row>(
  rows: Row[],
  limit: number,
  encodeLast: (row: Row) => string,
): { items: Row[]; cursor?: string } {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, ...(rows.length > limit && last !== undefined && { cursor: encodeLast(last) }) }
}

/** Yields the items of all pages, one page at a time. */
export async function* readPages<T>(
  read: (page: { cursor: string | undefined }) => Promise<{ items: T[]; cursor?: string }>,
): AsyncGenerator<T[]> {
  let cursor: string | undefined
  do {
    const page = await read({ cursor })
    if (page.items.length > 0) yield page.items
    cursor = page.cursor
  } while (cursor !== undefined)
}

function parseCursor(cursor: string): unknown[] {
  try {
    const parsed = parseForeignJson(Buffer.from(cursor, 'base64url'))
    return Array.isArray(parsed) ? parsed : []
  } catch {
    return []
  }
}

/** Hashes a request, regardless of its page and of the order of its fields. */
function digest(request: object): string {
  const { cursor, limit, ...fields } = request as Record<string, unknown>
  return createHash('sha256').update(JSON.stringify(fields, sortFields)).digest('base64url').slice(0, 16)
}

const sortFields = (_name: string, value: unknown) =>
  typeof value !== 'object' || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
