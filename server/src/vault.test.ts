import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createVault, isSameSecret } from './vault.ts'

const vault = createVault('one secret')

test('what is sealed is opened again, for its purpose and by its secret alone', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, purpose) => {
      const sealed = vault.seal(purpose, text)
      expect(vault.open(purpose, sealed)).toBe(text)
      expect(vault.open(`${purpose}x`, sealed)).toBeUndefined()
      expect(createVault('another secret').open(purpose, sealed)).toBeUndefined()
    }),
  )
})

test('what was changed is not opened', () => {
  const sealed = Buffer.from(vault.seal('purpose', 'some text'), 'base64url')
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(vault.open('purpose', changed.toString('base64url'))).toBeUndefined()
    expect(vault.open('purpose', sealed.subarray(0, at).toString('base64url'))).toBeUndefined()
  }
})

test('secrets of different lengths are compared without a throw', () => {
  expect(isSameSecret('a', 'a')).toBe(true)
  expect(isSameSecret('a', 'ab')).toBe(false)
})
