/**
 * Converts search text to a query of word prefixes for `search_words @@ to_tsquery('simple', …)`: `Ana Bó` becomes
 * `ana:* & bo:*`. Text without a word gives an empty query, which matches nothing.
 */
export const toWordQuery = (text: string): string =>
  splitWords(text)
    .map((word) => `${word}:*`)
    .join(' & ')

/** The arguments of the SQL function `users_by_words`: a word to look up in the index, and others to filter by. */
export interface NameQuery {
  /** A prefix of a word of the name; empty for text without a word, which matches no user. */
  beginning: string
  others: string[]
}

/** Parses search text, and chooses the longest word to look up. */
export function toNameQuery(text: string): NameQuery {
  const [beginning = '', ...others] = splitWords(text).sort((a, b) => b.length - a.length)
  return { beginning, others }
}

const splitWords = (text: string): string[] => toPlainText(text).match(/[\p{L}\p{N}]+/gu) ?? []

/** Equivalent to the database function `plain_text`. */
const toPlainText = (text: string) =>
  text
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .toLowerCase()
