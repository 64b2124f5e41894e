import { hash as hashArgon2 } from '@node-rs/argon2'
import { hash as hashBcrypt } from '@node-rs/bcrypt'
import { createTestBrowser } from '@passport/world/browser'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startTestService } from '../test-service.ts'
import { countKinds, createDummyHashes, toDummyHash } from './dummy-hash.ts'
import { matches, readImportedHash } from './imported-hash.ts'
import { hashPassword } from './password.ts'
import { defaultCost, prefixOf } from './password-cost.ts'

const current = toDummyHash(await hashPassword('a password'))
const key = 'c2FsdHNhbHQ'.repeat(4)

test.each([
  await hashArgon2('a password', { memoryCost: 64, timeCost: 3 }),
  await hashBcrypt('a password', { cost: 5 }),
  `$scrypt$ln=9,r=8,p=1$c2FsdA$${key}`,
  `$pbkdf2-sha512$i=1000$c2FsdA$${key}`,
  `$argon2i$v=19$m=64,t=3,p=1$c2FsdHNhbHQ$${key}`,
])('a dummy of %s can be checked, and no password matches it', async (stored) => {
  const dummyHash = toDummyHash(stored)
  const parameters = stored.startsWith('$2') ? stored.slice(0, 7) : stored.split('$').slice(0, -2).join('$')
  expect(dummyHash.startsWith(parameters)).toBe(true)
  expect(dummyHash).toHaveLength(stored.length)
  expect(readImportedHash(dummyHash)).toEqual({ hash: dummyHash })
  for (const password of ['a password', '']) expect(await matches(dummyHash, password)).toBe(false)
})

test('kinds have the shares of the stored hashes, and the current one is last', () => {
  const former = ['$a$A$A', '$b$A$A']
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...former, current), { minLength: 1 }), (stored) => {
      const kinds = countKinds(stored, current)
      let below = 0
      for (const { dummyHash, upTo } of kinds) {
        const count = stored.filter((one) => one === dummyHash).length
        expect(Math.round((upTo - below) * stored.length)).toBe(count)
        below = upTo
      }
      expect(below).toBe(1)
      if (stored.includes(current)) expect(kinds.at(-1)?.dummyHash).toBe(current)
    }),
  )
  expect(countKinds([], current)).toEqual([{ dummyHash: current, upTo: 1 }])
})

test('an unknown name costs what users cost, and each time the same', async () => {
  const service = await startTestService()
  const { sql, services } = service
  const costly = `${prefixOf({ ...defaultCost, timeCost: 12 })}${'A'.repeat(22)}$${'A'.repeat(43)}`
  await sql`update directory_people set password_hash = ${costly} where name <> 'max'`
  const measure = async (name: string) => {
    const browser = createTestBrowser(service.url)
    const form = await browser.open('/login')
    const before = process.cpuUsage()
    expect((await browser.submit(form, { name, password: 'wrong' })).status).toBe(401)
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  const find = createDummyHashes(sql, services.vault, services.log, defaultCost)
  const names = Array.from({ length: 400 }, (_, index) => `nobody${index}`)
  const kinds = Map.groupBy(
    await Promise.all(names.map(async (name) => [name, await find(name)] as const)),
    ([, hash]) => hash,
  )
  // Three of the four demo users have the costly hash.
  const [cheapNames, costlyNames] = [kinds.get(current) ?? [], kinds.get(costly) ?? []]
  expect(cheapNames.length + costlyNames.length).toBe(400)
  expect(costlyNames.length / 400).toBeGreaterThan(0.6)
  expect(costlyNames.length / 400).toBeLessThan(0.9)
  const [unknownCheap = '', unknownCostly = ''] = [cheapNames[0]?.[0], costlyNames[0]?.[0]]
  const measureLeast = async (name: string) => Math.min(await measure(name), await measure(name), await measure(name))
  const [known, unknown, cheap] = [
    await measureLeast('eve'),
    await measureLeast(unknownCostly),
    await measureLeast(unknownCheap),
  ]
  expect(unknown).toBeGreaterThan(known / 2)
  expect(unknown).toBeLessThan(known * 2)
  expect(cheap).toBeLessThan(known / 2)
})
