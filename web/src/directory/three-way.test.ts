import fc from 'fast-check'
import { expect, test } from 'vitest'
import { differencesOf, merged } from './three-way.ts'

const values = fc.record({ a: fc.constantFrom('', 'x', 'y'), b: fc.boolean(), c: fc.array(fc.constantFrom('1', '2')) })
const labels = { a: 'A', b: 'B', c: 'C' }

test('by the choices that are offered, what only one side changed is kept, and where both did mine wins', () => {
  fc.assert(
    fc.property(values, values, values, (base, mine, theirs) => {
      const choices = Object.fromEntries(
        differencesOf(base, mine, theirs, labels).map(({ name, choice }) => [name, choice]),
      )
      const result = merged(base, mine, theirs, choices)
      for (const name of ['a', 'b', 'c'] as const) {
        const isMine = JSON.stringify(mine[name]) !== JSON.stringify(base[name])
        expect(result[name]).toEqual(isMine ? mine[name] : theirs[name])
      }
    }),
  )
})

test('only what is not the same is asked about', () => {
  expect(differencesOf({ a: '1', b: '1' }, { a: '2', b: '1' }, { a: '2', b: '1' }, { a: 'A', b: 'B' })).toEqual([])
})
