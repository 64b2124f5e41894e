import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createVault, isSameSecret } from './vault.ts'

const vault = createVault('one secret')

test('a text is decrypted only with its purpose and its secret', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, purpose) => {
      const sealed = vault.seal(purpose, text)
      expect(vault.open(purpose, sealed)).toBe(text)
      expect(vault.open(`${purpose}x`, sealed)).toBeUndefined()
      expect(createVault('another secret').open(purpose, sealed)).toBeUndefined()
    }),
  )
})

test('modified or truncated ciphertext is rejected', () => {
  const sealed = Buffer.from(vault.seal('purpose', 'some text'), 'base64url')
  for (let index = 0; index < sealed.length; index++) {
    const changed = Buffer.from(sealed)
    changed[index] = (changed[index] ?? 0) ^ 1
    expect(vault.open('purpose', changed.toString('base64url'))).toBeUndefined()
    expect(vault.open('purpose', sealed.subarray(0, index).toString('base64url'))).toBeUndefined()
  }
})

test('a vault decrypts values of old secrets and encrypts with the new one', () => {
  const rotatedVault = createVault('a new secret', ['one secret', 'an older secret'])
  for (const old of ['one secret', 'an older secret'])
    expect(rotatedVault.open('purpose', createVault(old).seal('purpose', 'text'))).toBe('text')
  const sealed = rotatedVault.seal('purpose', 'text')
  expect(createVault('a new secret').open('purpose', sealed)).toBe('text')
  expect(vault.open('purpose', sealed)).toBeUndefined()
  expect(rotatedVault.deriveAll('purpose')).toEqual([
    createVault('a new secret').derive('purpose'),
    vault.derive('purpose'),
    createVault('an older secret').derive('purpose'),
  ])
})

test('ciphertext begins with the mark of its secret', () => {
  expect(vault.seal('purpose', 'text').startsWith(vault.mark)).toBe(true)
  expect(createVault('a new secret', ['one secret']).mark).not.toBe(vault.mark)
})

test('a vault decrypts values of earlier releases, which have no mark', () => {
  const unmarked = vault.seal('purpose', 'text').slice(vault.mark.length)
  expect(vault.open('purpose', unmarked)).toBe('text')
  expect(createVault('a new secret', ['one secret']).open('purpose', unmarked)).toBe('text')
})

test('isSameSecret compares secrets of different lengths', () => {
  expect(isSameSecret('a', 'a')).toBe(true)
  expect(isSameSecret('a', 'ab')).toBe(false)
})
