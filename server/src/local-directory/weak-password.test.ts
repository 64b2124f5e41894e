import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findWeakness } from './weak-password.ts'

const known = ['ana.abara@contoso.example', 'Ana Abara', 'Stage Passport']

test.for([
  ...[
    '123456789012',
    '012345678901',
    '098765432109',
    'abcdefghijkl',
    'ZYXWVUTSRQPO',
    'qwertyuiopas',
    '１２３４５６７８９０１２',
  ],
  ...['aaaaaaaaaaaa', 'abcabcabcabcab', '121212121212', 'passpasspass', '1234 1234 1234', '😀😀😀😀😀😀😀😀😀😀😀😀'],
  ...[
    'ana.abara@contoso.example',
    'Ana Abara 2026!',
    'StagePassport',
    'stage-passport-1',
    'contoso123456',
    '1abara1abara1',
  ],
])('the password %s is weak', (password) => {
  expect(findWeakness(password, known)).toMatch(/^Must not /)
})

test.for([
  'correct horse battery',
  'a long enough password',
  'Abara grows 14 figs',
  'contoso pays me on Fridays',
  '314159265358',
  'xkcdpqrszvbn',
])('the password %s is not', (password) => {
  expect(findWeakness(password, known)).toBeUndefined()
})

test('any part that is repeated three times or more is weak, and random passwords are not', () => {
  const part = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 10 })
  fc.assert(
    fc.property(part, fc.integer({ min: 3, max: 12 }), (text, times) => {
      expect(findWeakness(text.repeat(times), [])).toMatch(/^Must not /)
    }),
  )
  const random = fc.string({
    unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789'),
    minLength: 16,
    maxLength: 40,
  })
  fc.assert(
    fc.property(fc.noShrink(random), (password) => {
      fc.pre(new Set(password).size > 6)
      expect(findWeakness(password, known)).toBeUndefined()
    }),
  )
})
