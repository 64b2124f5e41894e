import { pbkdf2, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { verify as verifyArgon2 } from '@node-rs/argon2'

/**
 * The largest costs of a password hash from another system: argon2 in KiB, bcrypt as the logarithm of its rounds, scrypt
 * as N × r. A costlier hash would let anyone who knows a username occupy the server.
 */
const maxCost = {
  argon2: { memory: 256 * 1024, passes: 10, lanes: 4 },
  bcrypt: 14,
  scrypt: { memory: 2 ** 20, lanes: 4 },
  pbkdf2: 2_000_000,
} as const

/** A hash that can be stored, in the PHC string format or as bcrypt writes it; or why it cannot be. */
export type ImportedHash = { hash: string; reason?: undefined } | { hash?: undefined; reason: string }

const rejected = (reason: string): ImportedHash => ({ reason })
const above = (scheme: string, cost: string, max: number) =>
  rejected(`${scheme} with ${cost}; at most ${max} is allowed`)

interface Scheme {
  pattern: RegExp
  /** Checks the costs, and returns the hash in the stored format. */
  read: (parts: Record<string, string>, text: string) => ImportedHash
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
      `^\\$argon2(?:id|i|d)\\$(?:v=\\d+\\$)?m=(?<m>\\d{1,9}),t=(?<t>\\d{1,9}),p=(?<p>\\d{1,9})\\$${base64}\\$${base64}$`,
    ),
    read: ({ m, t, p }, hash) => {
      const { memory, passes, lanes } = maxCost.argon2
      if (Number(m) > memory) return above('argon2', `${m} KiB`, memory)
      if (Number(t) > passes) return above('argon2', `${t} passes`, passes)
      return Number(p) > lanes ? above('argon2', `${p} lanes`, lanes) : { hash }
    },
  },
  {
    pattern: /^\$2(?<version>[aby])\$(?<cost>\d\d)\$(?<rest>[./A-Za-z0-9]{53})$/,
    // PHP names the same algorithm 2y.
    read: ({ cost, rest }) =>
      Number(cost) > maxCost.bcrypt ? above('bcrypt', `cost ${cost}`, maxCost.bcrypt) : { hash: `$2b$${cost}$${rest}` },
  },
  {
    pattern: new RegExp(
      `^\\$scrypt\\$ln=(?<ln>\\d{1,2}),r=(?<r>\\d{1,9}),p=(?<p>\\d{1,9})\\$(?<salt>${base64})\\$(?<key>${base64})$`,
    ),
    read: ({ ln, r, p, salt = '', key = '' }) => {
      const { memory, lanes } = maxCost.scrypt
      const cost = 2 ** Number(ln) * Number(r)
      if (cost > memory) return above('scrypt', `N × r = ${cost}`, memory)
      if (Number(p) > lanes) return above('scrypt', `${p} lanes`, lanes)
      return { hash: `$scrypt$ln=${Number(ln)},r=${r},p=${p}$${encode(decode(salt))}$${encode(decode(key))}` }
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
  if (iterations > maxCost.pbkdf2) return above('pbkdf2', `${iterations} iterations`, maxCost.pbkdf2)
  if (!(iterations >= 1) || salt.length === 0 || key.length < 16 || key.length > 128)
    return rejected('an incomplete hash')
  return { hash: `$pbkdf2-${digest}$i=${iterations}$${encode(salt)}$${encode(key)}` }
}

/**
 * Reads the hash of another system: argon2, bcrypt, scrypt or PBKDF2, in the PHC string format, as bcrypt writes it, or as
 * Passlib and Django do. A hash in another format, or above `maxCost`, is rejected with the reason.
 */
export function readImportedHash(text: string): ImportedHash {
  if (text.length > 1024) return rejected('a hash of more than 1,024 characters')
  for (const { pattern, read } of schemes) {
    const match = pattern.exec(text)
    if (match) return read(match.groups ?? {}, text)
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
