import { hash as hashArgon2 } from '@node-rs/argon2'
import { hash as hashBcrypt } from '@node-rs/bcrypt'
import { createTestBrowser } from '@passport/world/browser'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from '../test-service.ts'
import { checksWhole } from './imported-hash.ts'
import { hashPassword, verifyPassword } from './password.ts'
import { prefixOf } from './password-cost.ts'
import { add, findByName } from './store.ts'

/** As cheap as possible: the form of the password is tested here. */
const cost = { memoryCost: 8, timeCost: 1, parallelism: 1 }
const bcrypt = (password: string) => hashBcrypt(password, { cost: 4 })
const composed = 'Zürich-Hauptbahnhof-7é'.normalize('NFC')
const decomposed = composed.normalize('NFD')

describe('a password with letters that can be written in two ways', () => {
  test('matches a hash of either, and is hashed composed', async () => {
    const hashes = [await hashPassword(decomposed, cost), await hashArgon2(decomposed, cost), await bcrypt(composed)]
    for (const passwordHash of hashes)
      for (const typed of [composed, decomposed]) expect(await verifyPassword(passwordHash, typed)).toBeDefined()
    expect(await verifyPassword(hashes[0] ?? '', decomposed)).toBe(composed)
    expect(await verifyPassword(hashes[1] ?? '', composed)).toBe(decomposed)
    expect(await verifyPassword(hashes[0] ?? '', 'Zurich-Hauptbahnhof-7e')).toBeUndefined()
  })

  test('of any text matches its hash in each form', () =>
    fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1 }), async (password) => {
        const passwordHash = await hashPassword(password, cost)
        for (const form of ['NFC', 'NFD'] as const)
          expect(await verifyPassword(passwordHash, password.normalize(form))).toBeDefined()
      }),
      { numRuns: 30 },
    ))
})

test.for<[string, string, boolean]>([
  ['$2b$04$', 'a'.repeat(71), true],
  ['$2b$04$', 'a'.repeat(72), false],
  ['$2b$04$', 'é'.repeat(36), false],
  ['$2b$04$', 'a\0a', false],
  ['$argon2id$', `${'a'.repeat(200)}\0`, true],
  ['$scrypt$', 'a'.repeat(200), true],
  ['$scrypt$', 'a\0', false],
  ['$pbkdf2-sha256$', 'a\0', false],
])('a hash %s checks the whole of %j: %s', ([start, password, isWhole]) => {
  expect(checksWhole(start, password)).toBe(isWhole)
})

describe('at the sign-in', () => {
  let service: TestService
  let users = 0
  beforeAll(async () => {
    service = await startTestService()
  })

  /** Adds a user with this hash and no account: the right password leads to the page that says so. */
  async function addUser(passwordHash: string) {
    const name = `person${++users}`
    const email = `${name}@stage.example`
    await add(service.sql, { name, displayName: name, email, passwordHash, isDemoUser: false })
    return {
      name,
      signIn: async (password: string) => {
        const browser = createTestBrowser(service.url)
        const page = await browser.submit(await browser.open('/login?idp=local'), { name, password })
        expect(page.text).toMatch(/Wrong username or password\.|You have no account here yet/)
        return page.status !== 401
      },
      readHash: async () => (await findByName(service.sql, name))?.passwordHash,
    }
  }

  const head = 'correct horse battery staple '.repeat(2).padEnd(72, '.')

  test('a bcrypt hash is compared as bcrypt does, and replaced only if it covers the password', async () => {
    const long = await addUser(await bcrypt(`${head}TAIL`))
    const stored = await long.readHash()
    for (const tail of ['LIAT', '', 'TAIL']) expect([tail, await long.signIn(head + tail)]).toEqual([tail, true])
    expect(await long.readHash()).toBe(stored)
    const short = await addUser(await bcrypt('correct horse'))
    expect(await short.signIn('correct horse')).toBe(true)
    expect(await short.readHash()).toMatch(/^\$argon2id\$/)
    expect([await short.signIn('correct horse'), await short.signIn('correct horse.')]).toEqual([true, false])
  })

  test.for([
    ['composed', composed, decomposed],
    ['decomposed', decomposed, composed],
  ] as const)(
    'an imported hash of a %s password signs in both ways, and becomes one of the composed form',
    async ([, imported, typed]) => {
      const user = await addUser(await hashArgon2(imported))
      expect(await user.signIn(typed)).toBe(true)
      const stored = (await user.readHash()) ?? ''
      expect(stored).toContain(prefixOf({ memoryCost: 19_456, timeCost: 2, parallelism: 1 }))
      expect(await verifyPassword(stored, imported)).toBe(composed)
      expect(await user.signIn(imported)).toBe(true)
    },
  )

  test('a wrong password counts once, in however many forms it is compared', async () => {
    const user = await addUser(await bcrypt(composed))
    expect(await user.signIn(`${decomposed}!`)).toBe(false)
    const { id } = (await findByName(service.sql, user.name)) ?? {}
    const counts = await service.sql`select points from rate_limits where key = ${`password-account:${id}`}`
    expect(counts).toEqual([{ points: 1 }])
  })
})
