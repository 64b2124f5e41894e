import { Problem } from './problem.ts'

/** PostgreSQL holds no NUL, and what is no Unicode cannot be sent back as UTF-8. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** Refuses a request that holds a text which nothing could keep. Throws 400. */
export function refuseUnstorable(...given: Iterable<[string, string]>[]): void {
  const isFine = given.every((entries) => [...entries].flat().every(isStorable))
  if (!isFine)
    throw new Problem(400, 'invalid-text', 'The address or the form holds a NUL or half of a surrogate pair.')
}
