import { PermissionFault } from '../fault.ts'

/** Encodes a keyset cursor: base64url of a hash of the question and the last id returned. */
export function encodeCursor(question: unknown, lastId: string): string {
  return btoa(`${hash(JSON.stringify(question))}.${lastId}`)
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** Returns the last id. Throws `cursor-mismatch` for a malformed cursor or one of another question. */
export function decodeCursor(question: unknown, cursor: string): string {
  const [, questionHash, lastId] = /^([0-9a-z]+)\.(.*)$/.exec(decodeBase64(cursor)) ?? []
  if (lastId !== undefined && questionHash === hash(JSON.stringify(question))) return lastId
  throw new PermissionFault('cursor-mismatch', 'The cursor belongs to a different request.', 'cursor')
}

function decodeBase64(cursor: string): string {
  try {
    return atob(cursor.replaceAll('-', '+').replaceAll('_', '/'))
  } catch {
    return ''
  }
}

/** Two runs of FNV-1a, 64 bits in all. */
function hash(text: string): string {
  const fnv1a = (seed: number) => {
    let mixed = seed
    for (let index = 0; index < text.length; index++) mixed = Math.imul(mixed ^ text.charCodeAt(index), 0x01000193)
    return (mixed >>> 0).toString(36).padStart(7, '0')
  }
  return fnv1a(0x811c9dc5) + fnv1a(0x2f1a7e03)
}
