import type { Cursor } from './cursor.ts'

/** `name` or `prefix/name`. */
export function parsePath(cursor: Cursor): string {
  const parts = [cursor.requireIdentifier('a name').text]
  while (cursor.takeIf('symbol', '/')) parts.push(cursor.requireIdentifier('a name').text)
  return parts.join('/')
}
