/** A user code (RFC 8628, section 6.1): 8 consonants, so that it spells no words. Excludes letters that look alike. */
const userCodePattern = /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/

/** Normalises a typed code to its stored form, ignoring case and punctuation; undefined for an invalid code. */
export function normaliseUserCode(typed: string): string | undefined {
  const code = typed.toUpperCase().replace(/[^\p{L}\p{N}]/gu, '')
  return userCodePattern.test(code) ? code : undefined
}

/** Formats a code for display: `WDJB-MJHT`. */
export const formatUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`
