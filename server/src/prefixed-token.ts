import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

// The form of tokens that users store in other programs: a prefix, 32 random characters, and a checksum of these in 6
// characters, all in base 62. Secret scanners recognise the prefix, and the checksum excludes similar texts without a
// request.

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 32
const checksumLength = 6

/** The form of the tokens with a prefix. */
export interface TokenForm {
  /** Generates a token with 190 random bits. */
  generate: () => string
  /** The number of characters by which a user recognises a token: the prefix and four more. */
  startLength: number
  /** Reports whether a text is meant as such a token, mistyped or not. */
  hasPrefix: (token: string) => boolean
  /** Reports whether a text has the length and the characters of such a token, which no other token here has. */
  hasForm: (token: string) => boolean
  /** Reports whether a text has the right form and checksum: a mistyped token has not. */
  isWellFormed: (token: string) => boolean
}

function createTokenForm(prefix: string): TokenForm {
  const form = new RegExp(`^${prefix}([0-9A-Za-z]{${randomLength}})([0-9A-Za-z]{${checksumLength}})$`)
  return {
    generate: () => {
      const random = Array.from({ length: randomLength }, () => alphabet[randomInt(alphabet.length)]).join('')
      return prefix + random + checksumOf(random)
    },
    startLength: prefix.length + 4,
    hasPrefix: (token) => token.startsWith(prefix),
    hasForm: (token) => form.test(token),
    isWellFormed: (token) => {
      const [, random = '', checksum] = form.exec(token) ?? []
      return checksum !== undefined && checksum === checksumOf(random)
    },
  }
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

/** Personal tokens of users. */
export const personalTokenForm = createTokenForm('psp_')
/** SCIM tokens of organisations. */
export const scimTokenForm = createTokenForm('psc_')
