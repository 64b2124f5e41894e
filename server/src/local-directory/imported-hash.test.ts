import { hash as hashArgon2 } from '@node-rs/argon2'
import { hash as hashBcrypt } from '@node-rs/bcrypt'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matches, readImportedHash, toPbkdf2 } from './imported-hash.ts'

/** Hashes of `password`, made by Passlib, or by Python's hashlib for Django. */
const hashes = [
  '$2b$12$GhvMmNVjRW29ulnudl.LbuAnUtN/LRfe1JsBm1Xu6LE3059z5Tr8m',
  '$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E',
  '$pbkdf2-sha256$1000$Rej9v9d6D0EohfAeY.y9Nw$tpXMEQXqt/hyedeChaC10jJfuo.H3NhsL1Q3/ZYjebw',
  '$pbkdf2-sha512$i=1000,l=64$MDEyMzQ1Njc4OWFiY2RlZg$38DzhdBT7fPaUGBlsh42VTuuKSFAIYGZJ7l6feCDLIl+K3hdPFgxxu7xuUi4gIuH6cEIoODn18xH9Ig2ryNgUw',
  '$pbkdf2$1000$MDEyMzQ1Njc4OWFiY2RlZg$DYW+LTZG5wxyiF/qvsh40/+/hXk',
  'pbkdf2_sha256$1000$seasalt2$uVEb+sgBbQ+os/7/NKCwt12lTi30NXcIL1uign1R2Qc=',
]

test.each(hashes)('%s matches its password only', async (text) => {
  const { hash = '' } = readImportedHash(text)
  expect(await matches(hash, 'password')).toBe(true)
  expect(await matches(hash, 'Password')).toBe(false)
  expect(readImportedHash(hash)).toEqual({ hash })
})

test('matches what the libraries write', async () => {
  for (const text of [
    await hashArgon2('secret', { algorithm: 1, memoryCost: 64, timeCost: 1 }),
    (await hashBcrypt('secret', { cost: 4 })).replace('$2b$', '$2y$'),
  ])
    expect(await matches(readImportedHash(text).hash ?? '', 'secret')).toBe(true)
})

const key = 'A'.repeat(43)
const bcrypt = (cost: string) => `$2b$${cost}$${'a'.repeat(53)}`
const argon2 = (costs: string) => `$argon2id$v=19$${costs}$c2FsdHNhbHQ$${key}`
const scrypt = (costs: string) => `$scrypt$${costs}$c2FsdA$${key}`
const pbkdf2 = (costs: string) => `$pbkdf2-sha256$${costs}$c2FsdA$${key}`

describe('the cost', () => {
  test.each([
    ...[
      bcrypt('14'),
      argon2('m=262144,t=10,p=4'),
      scrypt('ln=17,r=8,p=4'),
      scrypt('ln=14,r=64,p=1'),
      pbkdf2('i=2000000'),
    ],
    ...[bcrypt('04'), argon2('m=8,t=1,p=1'), argon2('m=32,t=1,p=4'), scrypt('ln=1,r=1,p=1'), pbkdf2('i=1')],
  ])('%s is at a bound', (text) => {
    expect(readImportedHash(text).hash).toBeDefined()
  })

  test.each([
    [bcrypt('15'), 'bcrypt with cost 15; at most 14 is allowed'],
    [bcrypt('03'), 'bcrypt with cost 3; at least 4 is needed'],
    [argon2('m=262145,t=1,p=1'), 'argon2 with 262145 KiB; at most 262144 is allowed'],
    [argon2('m=15,t=1,p=2'), 'argon2 with 15 KiB; at least 16 is needed'],
    [argon2('m=64,t=11,p=1'), 'argon2 with 11 passes; at most 10 is allowed'],
    [argon2('m=64,t=0,p=1'), 'argon2 with 0 passes; at least 1 is needed'],
    [argon2('m=64,t=1,p=5'), 'argon2 with 5 lanes; at most 4 is allowed'],
    [argon2('m=64,t=1,p=0'), 'argon2 with 0 lanes; at least 1 is needed'],
    [scrypt('ln=18,r=8,p=1'), 'scrypt with N × r = 2097152; at most 1048576 is allowed'],
    [scrypt('ln=0,r=8,p=1'), 'scrypt with ln = 0; at least 1 is needed'],
    [scrypt('ln=16,r=1,p=1'), 'scrypt with ln = 16; at most 15 is allowed'],
    [scrypt('ln=10,r=0,p=1'), 'scrypt with r = 0; at least 1 is needed'],
    [scrypt('ln=1,r=65,p=1'), 'scrypt with r = 65; at most 64 is allowed'],
    [scrypt('ln=10,r=8,p=5'), 'scrypt with 5 lanes; at most 4 is allowed'],
    [scrypt('ln=10,r=8,p=0'), 'scrypt with 0 lanes; at least 1 is needed'],
    [pbkdf2('i=2000001'), 'pbkdf2 with 2000001 iterations; at most 2000000 is allowed'],
    [pbkdf2('i=0'), 'pbkdf2 with 0 iterations; at least 1 is needed'],
    [`$2x$10$${'a'.repeat(53)}`, 'a hash in an unknown format'],
    [argon2('m=64,t=1,p=1').replace('19', '18'), 'a hash in an unknown format'],
    ['5f4dcc3b5aa765d61d8327deb882cf99', 'a hash in an unknown format'],
    ['$1$salt$qJH7.N4xYta3aEG/dfqo/0', 'a hash in an unknown format'],
    ['x'.repeat(1025), 'a hash of more than 1,024 characters'],
  ])('of %s is rejected', (text, reason) => {
    expect(readImportedHash(text)).toEqual({ reason })
  })

  test('of Keycloak must be a whole number', () => {
    expect(toPbkdf2('sha256', 1.5, Buffer.from('salt'), Buffer.alloc(32)).reason).toContain('1.5 iterations')
  })
})

test.each([
  // The key decodes to no bytes, which any password would match.
  ['$scrypt$ln=4,r=8,p=1$c2FsdA$A'],
  [`$scrypt$ln=4,r=8,p=1$c2FsdA$${'A'.repeat(20)}`],
  [`$scrypt$ln=4,r=8,p=1$c2FsdA$${'A'.repeat(87)}`],
  [`$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHQ$${'A'.repeat(20)}`],
  [`$argon2id$v=19$m=64,t=1,p=1$c2FsdA$${key}`],
  [`$pbkdf2-sha256$i=1$A$${key}`],
])('%s has a salt or a key of the wrong length', (text) => {
  expect(readImportedHash(text)).toEqual({ reason: 'an incomplete hash' })
})

test('the unused bits of a bcrypt hash do not matter', async () => {
  const text = (await hashBcrypt('secret', { cost: 4 })).replace(/(?<=^.{28})./, (digit) => nextDigit(digit))
  expect(await matches(readImportedHash(text).hash ?? '', 'secret')).toBe(true)
})
const nextDigit = (digit: string) => ({ '.': '/', O: 'P', e: 'f', u: 'v' })[digit] ?? digit

/** Hashes of every scheme, whose costs are cheap to check: most of them are out of bounds. */
const digits = (min: number, max: number) => fc.stringMatching(new RegExp(`^[A-Za-z0-9+/.]{${min},${max}}={0,2}$`))
const few = fc.integer({ min: 0, max: 5 })
const anyHash = fc
  .tuple(few, few, few, fc.integer({ min: 0, max: 64 }), digits(1, 30), digits(1, 92), fc.boolean())
  .chain(([a, b, c, memory, salt, text, isPadded]) => {
    const number = (value: number) => (isPadded ? `0${value}` : String(value))
    return fc.constantFrom(
      `$argon2${a % 2 ? 'id' : 'd'}$v=19$m=${number(memory)},t=${number(b)},p=${number(c)}$${salt}$${text}`,
      `$argon2i$m=${memory},t=${b},p=${c}$${salt}$${text}`,
      `$2y$0${a}$${(salt + text).padEnd(53, '/').replaceAll(/[+=]/g, '.').slice(0, 53)}`,
      `$scrypt$ln=${a * b},r=${number(c)},p=${number(b)}$${salt}$${text}`,
      `$pbkdf2-sha512$i=${number(a)}$${salt}$${text}`,
      `$pbkdf2$${a}$${salt}$${text}`,
      `pbkdf2_sha256$${a}$${salt}$${text}`,
    )
  })

test('a hash that is accepted can be checked, and another password does not match it', async () => {
  let accepted = 0
  await fc.assert(
    fc.asyncProperty(anyHash, async (text) => {
      const { hash } = readImportedHash(text)
      if (hash === undefined) return
      accepted++
      expect(readImportedHash(hash)).toEqual({ hash })
      expect(await matches(hash, 'a password')).toBe(false)
    }),
  )
  expect(accepted).toBeGreaterThan(0)
})

test('any text is a hash within the limits, or rejected with a reason', () => {
  const part = fc.constantFrom(
    '$',
    '2b',
    'argon2id',
    'scrypt',
    'pbkdf2-sha256',
    'v=19',
    'm=9',
    ',t=9',
    ',p=9',
    'ln=9',
    ',r=9',
    '10',
    key,
    'c2FsdA',
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(part, { maxLength: 14 }).map((parts) => parts.join('')),
      ),
      (text) => {
        const { hash, reason } = readImportedHash(text)
        expect(hash === undefined).toBe(reason !== undefined)
        if (hash !== undefined) expect(readImportedHash(hash)).toEqual({ hash })
      },
    ),
  )
})
