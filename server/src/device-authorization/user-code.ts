import { randomInt } from 'node:crypto'

/** 20 consonants, so that a user code spells no words, without letters that look alike (RFC 8628, section 6.1). */
const alphabet = 'BCDFGHJKLMNPQRSTVWXZ'
const length = 8
const userCodePattern = new RegExp(`^[${alphabet}]{${length}}$`)

/** Generates a user code. */
export const generateUserCode = (): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')

/** Normalises a typed code to its stored form, ignoring case and punctuation; undefined for an invalid code. */
export function normaliseUserCode(typed: string): string | undefined {
  const code = typed.toUpperCase().replace(/[^\p{L}\p{N}]/gu, '')
  return userCodePattern.test(code) ? code : undefined
}

/** Formats a code for display: `WDJB-MJHT`. */
export const formatUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`
