import { PermissionFault } from './fault.ts'

/** A place in the answers to a question: base64url of a hash of the question and the last id that was told. */
export function encodeCursor(question: unknown, lastId: string): string {
  return btoa(`${hash(JSON.stringify(question))}.${lastId}`)
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** The last id that was told. Throws `cursor-mismatch` where it comes from another question, or from nowhere. */
export function decodeCursor(question: unknown, cursor: string): string {
  const [, mark, lastId] = /^([0-9a-z]+)\.(.*)$/.exec(decoded(cursor)) ?? []
  if (lastId !== undefined && mark === hash(JSON.stringify(question))) return lastId
  throw new PermissionFault('cursor-mismatch', 'The cursor belongs to another question.', 'cursor')
}

function decoded(cursor: string): string {
  try {
    return atob(cursor.replaceAll('-', '+').replaceAll('_', '/'))
  } catch {
    return ''
  }
}

/** Two runs of FNV-1a, 64 bits in all. */
function hash(text: string): string {
  const run = (seed: number) => {
    let mixed = seed
    for (let index = 0; index < text.length; index++) mixed = Math.imul(mixed ^ text.charCodeAt(index), 0x01000193)
    return (mixed >>> 0).toString(36).padStart(7, '0')
  }
  return run(0x811c9dc5) + run(0x2f1a7e03)
}
