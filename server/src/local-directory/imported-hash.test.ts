import { hash as hashArgon2 } from '@node-rs/argon2'
import { hash as hashBcrypt } from '@node-rs/bcrypt'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matches, readImportedHash } from './imported-hash.ts'

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
  test.each([bcrypt('14'), argon2('m=262144,t=10,p=4'), scrypt('ln=17,r=8,p=4'), pbkdf2('i=2000000')])(
    '%s is the largest',
    (text) => {
      expect(readImportedHash(text).hash).toBeDefined()
    },
  )

  test.each([
    [bcrypt('15'), 'bcrypt with cost 15; at most 14 is allowed'],
    [argon2('m=262145,t=1,p=1'), 'argon2 with 262145 KiB; at most 262144 is allowed'],
    [argon2('m=64,t=11,p=1'), 'argon2 with 11 passes; at most 10 is allowed'],
    [argon2('m=64,t=1,p=5'), 'argon2 with 5 lanes; at most 4 is allowed'],
    [scrypt('ln=18,r=8,p=1'), 'scrypt with N × r = 2097152; at most 1048576 is allowed'],
    [scrypt('ln=10,r=8,p=5'), 'scrypt with 5 lanes; at most 4 is allowed'],
    [pbkdf2('i=2000001'), 'pbkdf2 with 2000001 iterations; at most 2000000 is allowed'],
    [`$2x$10$${'a'.repeat(53)}`, 'a hash in an unknown format'],
    ['5f4dcc3b5aa765d61d8327deb882cf99', 'a hash in an unknown format'],
    ['$1$salt$qJH7.N4xYta3aEG/dfqo/0', 'a hash in an unknown format'],
    [`$pbkdf2-sha256$i=0$c2FsdA$${key}`, 'an incomplete hash'],
    ['x'.repeat(1025), 'a hash of more than 1,024 characters'],
  ])('of %s is rejected', (text, reason) => {
    expect(readImportedHash(text)).toEqual({ reason })
  })
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
