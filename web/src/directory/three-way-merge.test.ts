import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareVersions, mergeVersions } from './three-way-merge.ts'

const values = fc.record({ a: fc.constantFrom('', 'x', 'y'), b: fc.boolean(), c: fc.array(fc.constantFrom('1', '2')) })
const labels = { a: 'A', b: 'B', c: 'C' }

test('the default choices keep one-sided changes and prefer mine in conflicts', () => {
  fc.assert(
    fc.property(values, values, values, (base, mine, theirs) => {
      const choices = Object.fromEntries(
        compareVersions(base, mine, theirs, labels).map(({ name, choice }) => [name, choice]),
      )
      const result = mergeVersions(base, mine, theirs, choices)
      for (const name of ['a', 'b', 'c'] as const) {
        const isMine = JSON.stringify(mine[name]) !== JSON.stringify(base[name])
        expect(result[name]).toEqual(isMine ? mine[name] : theirs[name])
      }
    }),
  )
})

test('compareVersions omits equal values', () => {
  expect(compareVersions({ a: '1', b: '1' }, { a: '2', b: '1' }, { a: '2', b: '1' }, { a: 'A', b: 'B' })).toEqual([])
})
