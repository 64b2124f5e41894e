/**
 * Converts search text to a query of word prefixes for `search_words @@ to_tsquery('simple', …)`: `Ana Bó` becomes
 * `ana:* & bo:*`. Text without a word gives an empty query, which matches nothing.
 */
export const toWordQuery = (text: string): string =>
  splitWords(text)
    .map((word) => `${word}:*`)
    .join(' & ')

/** Same as `toWordQuery`, for the words of names and email addresses, as a `tsquery`. */
export const toAddressWordQuery = (text: string): string => splitAddressWords(text).map(toPrefixQuery).join(' & ')

/** Converts a word of a query to a `tsquery` for its prefix; none gives one that matches nothing. */
export const toPrefixQuery = (word: string): string => (word === '' ? '' : `'${word}':*`)

/** The arguments of the SQL function `users_by_words`: a word to look up in the index, and others to filter by. */
export interface NameQuery {
  /** A prefix of a word of the name; empty for text without a word, which matches no user. */
  beginning: string
  others: string[]
}

/** Parses search text, and chooses the longest word to look up. */
export const toNameQuery = (text: string): NameQuery => chooseLongest(splitWords(text))

/** Same as `toNameQuery`, for the words of names and email addresses. */
export const toAddressQuery = (text: string): NameQuery => chooseLongest(splitAddressWords(text))

function chooseLongest(words: string[]): NameQuery {
  const [beginning = '', ...others] = words.sort((a, b) => b.length - a.length)
  return { beginning, others }
}

const splitWords = (text: string): string[] => toPlainText(text).match(/[\p{L}\p{N}]+/gu) ?? []

/** Chinese characters and Korean syllables: their names are found by any part, so each is a word. */
const syllables = /[\u3400-\u9fff\uac00-\ud7a3]/g

/** Splits search text into words, and domains that follow an `@`: `ana@lab-nord.example` into `ana` and `@lab.nord.example`. */
const splitAddressWords = (text: string): string[] => {
  const words = toPlainText(text).match(/@[\p{L}\p{N}]+(?:[.-]+[\p{L}\p{N}]+)*|[\p{L}\p{N}]+/gu) ?? []
  return words.map((word) => word.replaceAll(/[.-]+/g, '.'))
}

/** The letters that Unicode does not decompose, and the Latin ones for them. */
const letters = new Map([
  ...Array.from('øłđðħıŋŧəςɓɗɖɛɔɲƙƴ', (letter, index): [string, string] => [
    letter,
    'olddhinteσbddeonky'.charAt(index),
  ]),
  ['ß', 'ss'],
  ['ẞ', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['þ', 'th'],
])

/** Accents, marks of vowels in Hebrew and Arabic, invisible characters and apostrophes. */
const ignored =
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u00ad\u200b-\u200f\u2060\ufeff'’‘ʼʻʹ′`]/g

/** Equivalent to the database function `plain_text`, except for the spaces. */
const toPlainText = (text: string) =>
  text
    .normalize('NFC')
    .replaceAll(syllables, ' $&')
    .replaceAll('´', "'")
    .normalize('NFKD')
    .replaceAll(ignored, '')
    .toLowerCase()
    .replaceAll(/\P{ASCII}/gu, (letter) => letters.get(letter) ?? letter)
