import { hash } from '@node-rs/argon2'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { defaultCost, isStrong, isWeaker, parsePasswordCost, prefixOf } from './password-cost.ts'

test('a cost is parsed from what a hash states, and from nothing else', () => {
  const number = fc.integer({ min: 0, max: 2_000_000 })
  fc.assert(
    fc.property(number, fc.integer({ min: 0, max: 120 }), fc.integer({ min: 0, max: 20 }), (m, t, p) => {
      const cost = parsePasswordCost(`m=${m},t=${t},p=${p}`)
      const isAllowed = t >= 1 && t <= 100 && p >= 1 && p <= 16 && m >= 8 * p && m <= 1_048_576
      expect(cost).toEqual(isAllowed ? { memoryCost: m, timeCost: t, parallelism: p } : undefined)
      if (cost) expect(prefixOf(cost)).toBe(`$argon2id$v=19$m=${m},t=${t},p=${p}$`)
    }),
  )
  fc.assert(fc.property(fc.string(), (text) => parsePasswordCost(` ${text}`) === undefined))
})

test.for([
  ['m=47104,t=1,p=1', true],
  ['m=19456,t=2,p=1', true],
  ['m=12288,t=3,p=1', true],
  ['m=9216,t=4,p=1', true],
  ['m=7168,t=5,p=1', true],
  ['m=7167,t=50,p=1', false],
  ['m=19456,t=1,p=1', false],
  ['m=8,t=1,p=1', false],
])('%s is strong: %s', ([text, isStrongEnough]) => {
  expect(isStrong(parsePasswordCost(String(text)) ?? defaultCost)).toBe(isStrongEnough)
})

test('a hash is weaker if it costs less, or is of another scheme', async () => {
  const own = await hash('a password', defaultCost)
  expect(own.startsWith(prefixOf(defaultCost))).toBe(true)
  expect(isWeaker(own, defaultCost)).toBe(false)
  expect(isWeaker(own, { ...defaultCost, timeCost: 3 })).toBe(true)
  expect(isWeaker(own, { ...defaultCost, memoryCost: 8 })).toBe(false)
  expect(isWeaker(own.replace('argon2id', 'argon2i'), defaultCost)).toBe(true)
  expect(isWeaker(`$2b$10$${'a'.repeat(53)}`, defaultCost)).toBe(true)
})
