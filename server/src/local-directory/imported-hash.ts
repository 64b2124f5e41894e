import { pbkdf2, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { verify as verifyArgon2 } from '@node-rs/argon2'

/**
 * The costs of a password hash from another system, from the least that the algorithm is defined for. A costlier hash
 * would let anyone who knows a username occupy the server. Memory is in KiB for argon2, of which each lane needs 8, and
 * N × r for scrypt; the cost of bcrypt is the logarithm of its rounds.
 */
const limits = {
  argon2: { memory: [8, 256 * 1024], passes: [1, 10], lanes: [1, 4] },
  bcrypt: { cost: [4, 14] },
  scrypt: { memory: [2, 2 ** 20], r: [1, 64], lanes: [1, 4] },
  pbkdf2: { iterations: [1, 2_000_000] },
} as const
/** The bytes of a key: a shorter one can be guessed, and each further block costs as much as the first. */
const keyBytes = [16, 64] as const

/** A hash that can be stored, in the PHC string format or as bcrypt writes it; or why it cannot be. */
export type ImportedHash = { hash: string; reason?: undefined } | { hash?: undefined; reason: string }

const rejected = (reason: string): ImportedHash => ({ reason })

/** Rejects a cost out of bounds; `form` is how it is written, with `#` for the number. */
function checkCost(scheme: string, form: string, cost: number, [least, most]: readonly [number, number]) {
  if (Number.isInteger(cost) && cost >= least && cost <= most) return undefined
  const bound = cost > most ? `at most ${most} is allowed` : `at least ${least} is needed`
  return rejected(`${scheme} with ${form.replace('#', String(cost))}; ${bound}`)
}

interface Scheme {
  pattern: RegExp
  /** Checks the costs, and returns the hash in the stored format. */
  read: (parts: Record<string, string>) => ImportedHash
}

const base64 = '[A-Za-z0-9+/.]+={0,2}'
const digests = ['sha1', 'sha256', 'sha512'] as const
type Digest = (typeof digests)[number]

/** Bytes as base64 without padding, as in the PHC string format. */
const encode = (bytes: Uint8Array | string) =>
  Buffer.from(bytes as string)
    .toString('base64')
    .replace(/=+$/, '')
/** Passlib writes a full stop for a plus sign. */
const decode = (text: string) => Buffer.from(text.replaceAll('.', '+'), 'base64')

const schemes: Scheme[] = [
  {
    pattern: new RegExp(
      `^\\$(?<scheme>argon2(?:id|i|d))\\$(?<version>v=(?:16|19)\\$)?m=(?<m>\\d{1,9}),t=(?<t>\\d{1,9}),p=(?<p>\\d{1,9})\\$(?<salt>${base64})\\$(?<key>${base64})$`,
    ),
    read: ({ scheme, version = '', m, t, p, salt = '', key = '' }) => {
      const [memory, passes, lanes] = [Number(m), Number(t), Number(p)]
      const { argon2 } = limits
      return (
        checkCost('argon2', '# lanes', lanes, argon2.lanes) ??
        checkCost('argon2', '# KiB', memory, [argon2.memory[0] * lanes, argon2.memory[1]]) ??
        checkCost('argon2', '# passes', passes, argon2.passes) ??
        // RFC 9106, section 3.1, has the least length of a salt.
        toPhc(`${scheme}$${version}m=${memory},t=${passes},p=${lanes}`, decode(salt), decode(key), 8)
      )
    },
  },
  {
    pattern: /^\$2(?<version>[aby])\$(?<cost>\d\d)\$(?<salt>[./A-Za-z0-9]{22})(?<key>[./A-Za-z0-9]{31})$/,
    // PHP names the same algorithm 2y.
    read: ({ cost, salt = '', key = '' }) =>
      checkCost('bcrypt', 'cost #', Number(cost), limits.bcrypt.cost) ?? {
        hash: `$2b$${cost}$${clearUnusedBits(salt, 4)}${clearUnusedBits(key, 2)}`,
      },
  },
  {
    pattern: new RegExp(
      `^\\$scrypt\\$ln=(?<ln>\\d{1,2}),r=(?<r>\\d{1,9}),p=(?<p>\\d{1,9})\\$(?<salt>${base64})\\$(?<key>${base64})$`,
    ),
    read: ({ ln, r, p, salt = '', key = '' }) => {
      const [logN, blockSize, lanes] = [Number(ln), Number(r), Number(p)]
      // RFC 7914, section 2: N is above 1 and below 2^(128 r / 8).
      const mostLogN = 16 * blockSize - 1
      return (
        checkCost('scrypt', 'r = #', blockSize, limits.scrypt.r) ??
        checkCost('scrypt', 'ln = #', logN, [1, mostLogN]) ??
        checkCost('scrypt', 'N × r = #', 2 ** logN * blockSize, limits.scrypt.memory) ??
        checkCost('scrypt', '# lanes', lanes, limits.scrypt.lanes) ??
        toPhc(`scrypt$ln=${logN},r=${blockSize},p=${lanes}`, decode(salt), decode(key))
      )
    },
  },
  {
    // The PHC string format, and that of Passlib, whose scheme without a digest is SHA-1.
    pattern: new RegExp(
      `^\\$pbkdf2(?:-(?<digest>sha1|sha256|sha512))?\\$(?:i=)?(?<i>\\d{1,9})(?:,l=\\d+)?\\$(?<salt>${base64})\\$(?<key>${base64})$`,
    ),
    read: ({ digest = 'sha1', i = '', salt = '', key = '' }) =>
      toPbkdf2(digest as Digest, Number(i), decode(salt), decode(key)),
  },
  {
    // Django.
    pattern: new RegExp(`^pbkdf2_(?<digest>sha1|sha256)\\$(?<i>\\d{1,9})\\$(?<salt>[^$]{1,128})\\$(?<key>${base64})$`),
    read: ({ digest, i, salt = '', key = '' }) => toPbkdf2(digest as Digest, Number(i), Buffer.from(salt), decode(key)),
  },
]

/** Returns a PBKDF2 hash in the stored format. */
export function toPbkdf2(digest: string, iterations: number, salt: Uint8Array, key: Uint8Array): ImportedHash {
  if (!digests.includes(digest as Digest)) return rejected(`pbkdf2 with ${digest}`)
  return (
    checkCost('pbkdf2', '# iterations', iterations, limits.pbkdf2.iterations) ??
    toPhc(`pbkdf2-${digest}$i=${iterations}`, salt, key)
  )
}

/** Returns a hash in the PHC string format; rejects one whose salt or key is too short, or whose key is too long. */
function toPhc(schemeAndCosts: string, salt: Uint8Array, key: Uint8Array, leastSaltBytes = 1): ImportedHash {
  if (salt.length < leastSaltBytes || key.length < keyBytes[0] || key.length > keyBytes[1])
    return rejected('an incomplete hash')
  return { hash: `$${schemeAndCosts}$${encode(salt)}$${encode(key)}` }
}

const bcryptDigits = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Clears the bits of the last digit that stand for no byte. Older libraries set them, and the one of `matches` refuses them. */
const clearUnusedBits = (digits: string, bits: number) =>
  digits.slice(0, -1) + bcryptDigits[bcryptDigits.indexOf(digits.at(-1) ?? '') & ~(2 ** bits - 1)]

/**
 * Reads the hash of another system: argon2, bcrypt, scrypt or PBKDF2, in the PHC string format, as bcrypt writes it, or as
 * Passlib and Django do. A hash in another format, or beyond `limits`, is rejected with the reason.
 */
export function readImportedHash(text: string): ImportedHash {
  if (text.length > 1024) return rejected('a hash of more than 1,024 characters')
  for (const { pattern, read } of schemes) {
    const match = pattern.exec(text)
    if (match) return read(match.groups ?? {})
  }
  return rejected('a hash in an unknown format')
}

const deriveScrypt = promisify<string, Uint8Array, number, object, Buffer>(scrypt)
const derivePbkdf2 = promisify(pbkdf2)

/** Reports whether a password matches a hash that `readImportedHash` returned, or an argon2id hash of this server. */
export async function matches(hash: string, password: string): Promise<boolean> {
  const [, scheme = '', parameters = '', salt = '', key = ''] = hash.split('$')
  if (scheme.startsWith('argon2')) return verifyArgon2(hash, password)
  // Loaded when the first such user signs in: most installations have none.
  if (scheme === '2b') return (await import('@node-rs/bcrypt')).verify(password, hash)
  const expected = decode(key)
  const costs = Object.fromEntries(parameters.split(',').map((part) => part.split('='))) as Record<string, string>
  if (scheme === 'scrypt') {
    const [N, r, p] = [2 ** Number(costs['ln']), Number(costs['r']), Number(costs['p'])]
    const options = { N, r, p, maxmem: 256 * N * r + 1024 * 1024 }
    return timingSafeEqual(await deriveScrypt(password, decode(salt), expected.length, options), expected)
  }
  const digest = scheme.replace('pbkdf2-', '')
  const iterations = Number(costs['i'])
  return timingSafeEqual(await derivePbkdf2(password, decode(salt), iterations, expected.length, digest), expected)
}

/**
 * Reports whether a hash that a password matches can have been made of this password only, as far as its scheme goes. The
 * key of bcrypt is the first 72 bytes, the last of which ends a shorter password: of 72 typed bytes, more may have been
 * cut off. Its implementations differ in what they do at a NUL, and HMAC, so PBKDF2 and scrypt too, takes trailing ones
 * for padding (RFC 2104, section 2).
 */
export function checksWhole(hash: string, password: string): boolean {
  if (hash.startsWith('$argon2')) return true
  const isCut = hash.startsWith('$2') && Buffer.byteLength(password) >= 72
  return !isCut && !password.includes('\0')
}
