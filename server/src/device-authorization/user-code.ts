/**
 * The letters of a user code: no vowels, so that it spells no words, and none that look alike (RFC 8628, section 6.1).
 */
const alphabet = /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/

/** Normalises a typed code for storage: any case, with any punctuation; undefined if it is invalid. */
export function normalizeUserCode(typed: string): string | undefined {
  const code = typed.toUpperCase().replace(/[^\p{L}\p{N}]/gu, '')
  return alphabet.test(code) ? code : undefined
}

/** Formats a code for display: `WDJB-MJHT`. */
export const formatUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`
