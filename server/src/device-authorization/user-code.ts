/** The letters of a user code: no vowels, so that it spells nothing, and none that look alike (RFC 8628, section 6.1). */
const alphabet = /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/

/** A code as it is stored, from what a person typed: any case, with any punctuation; undefined where it can be none. */
export function normalizeUserCode(typed: string): string | undefined {
  const code = typed.toUpperCase().replace(/[^\p{L}\p{N}]/gu, '')
  return alphabet.test(code) ? code : undefined
}

/** A code as it is shown: `WDJB-MJHT`. */
export const showUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`
