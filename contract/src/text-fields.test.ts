import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { Line } from './text-fields.ts'

const Name = Line(4)
const isFine = (text: string) => z.safeParse(Name, text).success

test('is trimmed and composed', () => {
  expect(z.parse(Name, '  Zoe\u0301\u3000')).toBe('Zo\u00e9')
})

test('counts what people count', () => {
  expect(isFine('👩‍👩‍👧‍👦👩🏽‍❤️‍💋‍👨🏿🇪🇺é')).toBe(true)
  expect(isFine('abcde')).toBe(false)
  expect(isFine(`a${'\u0301'.repeat(5000)}`)).toBe(false)
})

test.for(['', ' ', '\u200b', '\u00ad\u2060', 'a\nb', 'a\0', 'a\u0085b', 'a\u2028b', 'a\u202eb', '\u2066a', 'a\u007f'])(
  'refuses %j',
  (text) => expect(isFine(text)).toBe(false),
)

test('what it lets through, it lets through again unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 6 }), (text) => {
      const read = z.safeParse(Name, text)
      if (read.success) expect(z.parse(Name, read.data)).toBe(read.data)
    }),
  )
})
