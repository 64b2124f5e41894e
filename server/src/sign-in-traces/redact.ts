import { toStorableText } from '../http/storable-text.ts'

const maxLength = 300

/** JSON Web Tokens, and runs of characters as in codes and hashes. Ids of tenants and users are shorter. */
const secretPattern = /\beyJ[\w-]+(?:\.[\w-]*)*|[A-Za-z0-9_-]{40,}/g
const localPartPattern = /[^\s@"'<>(),;:=/]+@(?=[\p{L}\d.-]+)/gu

/**
 * Shortens a text of a step, and removes what a trace must not have: tokens, codes, and local parts of email addresses.
 * A provider may write any of them into its error description.
 */
export const redact = (text: string): string =>
  toStorableText(
    text
      .replace(secretPattern, '…')
      .replace(localPartPattern, '…@')
      .replace(/\p{Cc}+/gu, ' '),
    maxLength,
  )
