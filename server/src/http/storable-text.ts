/** Reports whether a text can be stored: PostgreSQL cannot store NUL, and UTF-8 has no unpaired surrogates. */
export const isValidText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** Returns the beginning of a text, of at most `length` UTF-16 code units; never half a character. */
export function cutText(text: string, length: number): string {
  const isSplit = text.length > length && /[\ud800-\udbff]/.test(text[length - 1] ?? '')
  return text.slice(0, isSplit ? length - 1 : length)
}

/**
 * Returns the beginning of a text that another system wrote, for logs and records: what cannot be stored becomes U+FFFD.
 * Never for a value that identifies a user, which must not change.
 */
export const toStorableText = (text: string, length: number): string =>
  cutText(text, length).toWellFormed().replaceAll('\0', '\ufffd')
