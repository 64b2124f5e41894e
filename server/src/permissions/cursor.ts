import { createHash } from 'node:crypto'
import type { Consistency, Token } from '@passport/permissions/engine'
import { PermissionFault } from '@passport/permissions/fault'
import * as z from 'zod/mini'

/** A place in the answers to one question, opaque to callers. */
export const cursorOf = (question: object, place: object): string =>
  Buffer.from(JSON.stringify([digest(question), place])).toString('base64url')

/**
 * The place of a cursor; undefined for the first page. Throws `cursor-mismatch` for one of another question, or of
 * nobody's making.
 */
export function placeOf<Schema extends z.core.$ZodType>(
  schema: Schema,
  question: object & { cursor?: string | undefined },
): z.core.output<Schema> | undefined {
  if (question.cursor === undefined) return undefined
  const [of, told] = parse(question.cursor)
  const place = z.safeParse(schema, told)
  if (of === digest(question) && place.success) return place.data
  throw new PermissionFault('cursor-mismatch', 'The cursor is of another question.', 'cursor')
}

/**
 * How fresh a page must be: never from before the page that `token` is of. Who asked for a snapshot, or for the newest,
 * gets that again.
 */
const sinceThePage = (token: Token, consistency: Consistency | undefined): Consistency =>
  consistency?.kind === 'atExactSnapshot' || consistency?.kind === 'fullyConsistent'
    ? consistency
    : { kind: 'atLeastAsFresh', token }

/**
 * Asks for a page, the first or the one after that of `token`. A token that is none any more came with the cursor then,
 * and is told there.
 */
export async function askForPage<T>(
  token: Token | undefined,
  consistency: Consistency | undefined,
  ask: (consistency: Consistency | undefined) => Promise<T>,
): Promise<T> {
  if (token === undefined) return ask(consistency)
  try {
    return await ask(sinceThePage(token, consistency))
  } catch (error) {
    if (!(error instanceof PermissionFault) || error.code !== 'token-invalid') throw error
    throw new PermissionFault('cursor-mismatch', 'The cursor is of a moment that is no more: begin anew.', 'cursor')
  }
}

function parse(cursor: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(parsed) ? parsed : []
  } catch {
    return []
  }
}

/** The same whatever the size of the page and the order of the fields. */
function digest(question: object): string {
  const { cursor, limit, ...asked } = question as Record<string, unknown>
  return createHash('sha256')
    .update(JSON.stringify(sorted(asked)))
    .digest('base64url')
    .slice(0, 16)
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  const fields = Object.entries(value).filter(([, one]) => one !== undefined)
  return fields.sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, one]) => [name, sorted(one)])
}
