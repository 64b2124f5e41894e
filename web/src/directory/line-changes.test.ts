import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type LineChange, lineChanges } from './line-changes.ts'

const told = (changes: LineChange[]) =>
  changes.map(({ kind, text, skipped }) => (kind === 'skipped' ? `${skipped} more` : `${signs[kind]}${text}`))
const signs = { added: '+', removed: '-', same: ' ' }

test('a changed line stands among its neighbours, and the others are counted', () => {
  const lines = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
  const changed = lines.with(4, 'E').join('\n')
  expect(told(lineChanges(lines.join('\n'), changed))).toEqual(['2 more', ' c', ' d', '-e', '+E', ' f', ' g', ' h'])
})

test('what would hide one line alone hides none', () => {
  expect(told(lineChanges('a\nb\nc\nd', 'a\nb\nc\nD'))).toEqual([' a', ' b', ' c', '-d', '+D'])
})

test('texts with nothing in common are told as one gone and one new', () => {
  const [from, to] = ['x', 'y'].map((letter) => Array.from({ length: 3000 }, (_, at) => letter + at))
  const changes = lineChanges((from ?? []).join('\n'), (to ?? []).join('\n'))
  expect(changes.map(({ text }) => text)).toEqual([...(from ?? []), ...(to ?? [])])
})

const text = fc.array(fc.constantFrom('one', 'two', 'three', ''), { minLength: 1, maxLength: 30 })

test('what was is there without what is new, and what is without what is gone', () => {
  fc.assert(
    fc.property(text, text, (from, to) => {
      const changes = lineChanges(`${from.join('\n')}\n`, `${to.join('\n')}\n`)
      const count = (kind: string) => changes.filter((change) => change.kind === kind).length
      const same = changes.reduce((sum, { kind, skipped = 1 }) => sum + (/same|skipped/.test(kind) ? skipped : 0), 0)
      expect(same + count('removed')).toBe(from.length)
      expect(same + count('added')).toBe(to.length)
    }),
  )
})
