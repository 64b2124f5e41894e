import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { findLineError, fitLine, Line, normaliseLine } from './text-fields.ts'

const Name = Line(4, 'name-invalid')
const isValid = (text: string) => z.safeParse(Name, text).success

test('a Line is trimmed and NFC-normalised', () => {
  expect(z.parse(Name, '  Zoe\u0301\u3000')).toBe('Zo\u00e9')
})

test('a Line limits the number of graphemes', () => {
  expect(isValid('👩‍👩‍👧‍👦👩🏽‍❤️‍💋‍👨🏿🇪🇺é')).toBe(true)
  expect(isValid('abcde')).toBe(false)
  expect(isValid(`a${'\u0301'.repeat(5000)}`)).toBe(false)
})

test('a Line rejects an overlong text before normalising it, which takes seconds for many combining marks', () => {
  const marks = ['\u0345', '\u035d', '\u035c', '\u0315', '\u0300', '\u0316', '\u031b', '\u0321', '\u05b0', '\u0334']
  const text = `a${marks.map((mark) => mark.repeat(4000)).join('')}`
  const before = process.threadCpuUsage()
  expect(isValid(text)).toBe(false)
  expect(process.threadCpuUsage(before).user).toBeLessThan(100_000)
})

test.for([
  '',
  ' ',
  '\u200b',
  '\u00ad\u2060',
  'a\nb',
  'a\0',
  'a\u0085b',
  'a\u2028b',
  'a\u202eb',
  '\u2066a',
  'a\u007f',
  'S\ufffdren',
])('a Line rejects %j', (text) => expect(isValid(text)).toBe(false))

const LongLine = Line(40, 'name-invalid')

test.for([
  ['a zero width space', 'Ada\u200bLovelace'],
  ['a soft hyphen', 'Ada\u00ad'],
  ['a joiner between Latin letters', 'Ada\u200dLovelace'],
  ['a directional mark', 'Ada\u200e'],
  ['the Arabic letter mark', '\u061cAda'],
  ['a word joiner', 'Ada\u2060'],
  ['a byte order mark', 'A\ufeffda'],
  ['a tag', 'Ada\u{e0041}'],
  ['tags that form no valid flag', '\u{1f3f4}\u{e0061}\u{e007f}'],
  ['a variation selector after a letter', 'Ada\ufe0f'],
  ['a Hangul filler', '\u3164'],
  ['a grapheme joiner', 'A\u034fda'],
  ['two joiners in a row', 'علی\u200c\u200cرضا'],
  ['a joiner at the end', 'علی\u200c'],
  ['a joiner after an emoji', '👩\u200d'],
])('a Line rejects %s', ([, name]) => {
  expect(z.safeParse(LongLine, name).error?.issues[0]?.message).toMatch(
    /^Must not contain (invisible|control) characters/,
  )
})

test.for([
  'علی\u200cرضا',
  'ශ්\u200dරී',
  'র\u200d্যাব',
  'മോഹന്\u200d',
  '葛\u{e0100}城',
  '👩🏽‍❤️‍💋‍👨🏿',
  '🏳️‍🌈',
  '1️⃣',
  '☎︎',
  '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
  'Zoë O’Brien-Ñandú',
])('a Line accepts characters that a script needs: %s', (name) => {
  expect(z.parse(LongLine, name)).toBe(name.normalize('NFC'))
})

test('a Line is idempotent: an accepted text is accepted again unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 6 }), (text) => {
      const parsed = z.safeParse(Name, text)
      if (parsed.success) expect(z.parse(Name, parsed.data)).toBe(parsed.data)
    }),
  )
})

describe('fitLine', () => {
  test('returns a valid line as it is, and any other text as a valid line that is no longer', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.string({ unit: 'grapheme', maxLength: 200 }),
      fc
        .array(fc.constantFrom('a', ' ', '\u0301', '👩‍🚀', '\u200d', '\u202e', '\0', '\ud800'), { maxLength: 300 })
        .map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 64 }), (text, max) => {
        const line = fitLine(text, max)
        if (line === undefined) return
        expect(findLineError(line, max)).toBeUndefined()
        expect(normaliseLine(line, max)).toBe(line)
        expect(fitLine(line, max)).toBe(line)
      }),
    )
  })

  test.for([
    ['Ada Lovelace', 'Ada Lovelace'],
    [' Ada\n\u200bLovelace\0 ', 'Ada Lovelace'],
    ['x'.repeat(65), `${'x'.repeat(63)}…`],
    ['👩‍🚀'.repeat(65), `${'👩‍🚀'.repeat(63)}…`],
    ['\u202e \u200b', undefined],
    [`a${'\u0301'.repeat(5000)}`, undefined],
    ['', undefined],
  ] as const)('of %o is %o', ([text, line]) => {
    expect(fitLine(text, 64)).toBe(line)
  })
})
