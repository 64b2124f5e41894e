import { createHash } from 'node:crypto'
import { type Consistency, PermissionError, type Token } from '@passport/permissions'
import * as z from 'zod/mini'

/** Encodes the position in the results of a request, opaque to callers. */
export const encodeCursor = (request: object, position: object): string =>
  Buffer.from(JSON.stringify([digest(request), position])).toString('base64url')

/**
 * Returns the position of a cursor; undefined for the first page. Throws `cursor-mismatch` for a cursor of another
 * request or a forged one.
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
 * The consistency of a page: never older than the previous page, which `token` belongs to. An exact snapshot or full
 * consistency is kept.
 */
const consistencyAfterPage = (token: Token, consistency: Consistency | undefined): Consistency =>
  consistency?.kind === 'atExactSnapshot' || consistency?.kind === 'fullyConsistent'
    ? consistency
    : { kind: 'atLeastAsFresh', token }

/**
 * Requests a page, the first or the one after that of `token`. An invalid token came with the cursor, so it is reported
 * there.
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

/** Yields the items of all pages, one page at a time. */
export async function* readPages<T>(
  read: (page: { cursor?: string }) => Promise<{ items: T[]; cursor?: string }>,
): AsyncGenerator<T[]> {
  let cursor: string | undefined
  do {
    const page = await read({ ...(cursor !== undefined && { cursor }) })
    if (page.items.length > 0) yield page.items
    cursor = page.cursor
  } while (cursor !== undefined)
}

function parseCursor(cursor: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(parsed) ? parsed : []
  } catch {
    return []
  }
}

/** Independent of the page size and the order of fields. */
function digest(request: object): string {
  const { cursor, limit, ...fields } = request as Record<string, unknown>
  return createHash('sha256')
    .update(JSON.stringify(sortKeys(fields)))
    .digest('base64url')
    .slice(0, 16)
}

function sortKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sortKeys)
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return fields.sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, one]) => [name, sortKeys(one)])
}
