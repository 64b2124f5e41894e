/**
 * Returns the error of an invalid preference key; undefined for a valid one. A key has 1 to 256 characters in NFC and
 * no control characters; `.` and `..` cannot be part of a URL.
 */
export function findPreferenceKeyError(key: string): string | undefined {
  const { length } = normaliseKey(key)
  if (length < 1 || length > 256) return 'A key must have 1 to 256 characters.'
  if (/\p{Cc}/u.test(key)) return 'A key must not contain control characters.'
  if (key === '.' || key === '..') return 'A key must not be “.” or “..”.'
  return undefined
}

/** NFC composes at most four units into one; sorting the marks of a longer key would be quadratic. */
const maxUnnormalised = 4 * 256

/** Normalises a key to NFC; returns an overlong key unchanged. */
export const normaliseKey = (key: string): string => (key.length > maxUnnormalised ? key : key.normalize('NFC'))
