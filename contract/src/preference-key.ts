/**
 * What is wrong with the key of a preference, in words; nothing for one that can be saved. A key has 1 to 256 characters
 * in NFC and no control characters; `.` and `..` cannot stand in a URL.
 */
export function preferenceKeyFault(key: string): string | undefined {
  const { length } = key.normalize('NFC')
  if (length < 1 || length > 256) return 'A key has 1 to 256 characters.'
  if (/\p{Cc}/u.test(key)) return 'A key has no control characters.'
  if (key === '.' || key === '..') return 'A key is not “.” or “..”.'
  return undefined
}
