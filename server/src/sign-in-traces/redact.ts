import { toStorableText } from '../http/storable-text.ts'

const maxLength = 300
/** UTF-16 code units that are searched: anyone sends longer texts, and the time of the search grows with their square. */
const maxSearched = 2048

/** JSON Web Tokens, and runs of characters as in codes and hashes. Ids of tenants and users are shorter. */
const secretPattern = /\beyJ[\w-]+(?:\.[\w-]*)*|[A-Za-z0-9_-]{40,}/g
const localPartPattern = /[^\s@"'<>(),;:=/]+@(?=[\p{L}\d.-]+)/gu

/**
 * Shortens a text of a step, and removes what a trace must not have: tokens, codes, and local parts of email addresses.
 * A provider may write any of them into its error description.
 */
export const redact = (text: string): string =>
  toStorableText(
    takeWords(text)
      .replace(secretPattern, '…')
      .replace(localPartPattern, '…@')
      .replace(/\p{Cc}+/gu, ' '),
    maxLength,
  )

/** Returns the beginning of a long text, up to the end of a word: half a secret would not be recognised. */
function takeWords(text: string): string {
  if (text.length <= maxSearched) return text
  return `${text.slice(0, text.lastIndexOf(' ', maxSearched) + 1)}…`
}
