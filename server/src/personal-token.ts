import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

// The form of personal tokens: `psp_`, 32 random characters, and a checksum of these in 6 characters, all in base 62.
// Secret scanners recognise the prefix, and the checksum excludes similar texts without a request.

const prefix = 'psp_'
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 32
const checksumLength = 6
const form = new RegExp(`^${prefix}([0-9A-Za-z]{${randomLength}})([0-9A-Za-z]{${checksumLength}})$`)

/** The number of characters by which a user recognises a token: the prefix and four more. */
export const startLength = prefix.length + 4

/** Generates a personal token with 190 random bits. */
export function generatePersonalToken(): string {
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(alphabet.length)]).join('')
  return prefix + random + checksumOf(random)
}

/** Reports whether a text is meant as a personal token, mistyped or not. */
export const hasPersonalPrefix = (token: string): boolean => token.startsWith(prefix)

/** Reports whether a text has the length and the characters of a personal token, which no other token here has. */
export const hasPersonalForm = (token: string): boolean => form.test(token)

/** Reports whether a personal token has the right form and checksum: a mistyped one has not. */
export function isWellFormed(token: string): boolean {
  const [, random = '', checksum] = form.exec(token) ?? []
  return checksum !== undefined && checksum === checksumOf(random)
}

/** Returns the CRC-32 of a text in base 62, the most significant digit first. */
function checksumOf(text: string): string {
  let rest = crc32(text)
  let digits = ''
  while (digits.length < checksumLength) {
    digits = alphabet[rest % alphabet.length] + digits
    rest = Math.floor(rest / alphabet.length)
  }
  return digits
}
