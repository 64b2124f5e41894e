import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diffTexts, type LineChange } from './line-changes.ts'

const format = (changes: LineChange[]) =>
  changes.map(({ kind, text, skipped }) => (kind === 'skipped' ? `${skipped} more` : `${signs[kind]}${text}`))
const signs = { added: '+', removed: '-', same: ' ' }

test('shows a changed line with its context, and counts the skipped lines', () => {
  const lines = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
  const changed = lines.with(4, 'E').join('\n')
  expect(format(diffTexts(lines.join('\n'), changed))).toEqual(['2 more', ' c', ' d', '-e', '+E', ' f', ' g', ' h'])
})

test('never skips a single line', () => {
  expect(format(diffTexts('a\nb\nc\nd', 'a\nb\nc\nD'))).toEqual([' a', ' b', ' c', '-d', '+D'])
})

test('shows texts without common lines as one removed and one added', () => {
  const [from, to] = ['x', 'y'].map((letter) => Array.from({ length: 3000 }, (_, index) => letter + index))
  const changes = diffTexts((from ?? []).join('\n'), (to ?? []).join('\n'))
  expect(changes.map(({ text }) => text)).toEqual([...(from ?? []), ...(to ?? [])])
})

const text = fc.array(fc.constantFrom('one', 'two', 'three', ''), { minLength: 1, maxLength: 30 })

test('the old text consists of unchanged and removed lines, the new one of unchanged and added lines', () => {
  fc.assert(
    fc.property(text, text, (from, to) => {
      const changes = diffTexts(`${from.join('\n')}\n`, `${to.join('\n')}\n`)
      const count = (kind: string) => changes.filter((change) => change.kind === kind).length
      const same = changes.reduce((sum, { kind, skipped = 1 }) => sum + (/same|skipped/.test(kind) ? skipped : 0), 0)
      expect(same + count('removed')).toBe(from.length)
      expect(same + count('added')).toBe(to.length)
    }),
  )
})
