import fc from 'fast-check'
import { expect, test } from 'vitest'
import { personalTokenForm } from './prefixed-token.ts'

const characters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const anyToken = fc.constant(null).map(personalTokenForm.generate)
const replaceAt = (text: string, index: number, part: string) =>
  text.slice(0, index) + part + text.slice(index + part.length)

test('a generated token has the documented form, and no two are equal', () => {
  const tokens = Array.from({ length: 500 }, personalTokenForm.generate)
  for (const token of tokens) {
    expect(token).toMatch(/^psp_[0-9A-Za-z]{38}$/)
    expect([
      personalTokenForm.isWellFormed(token),
      personalTokenForm.hasForm(token),
      personalTokenForm.hasPrefix(token),
    ]).toEqual([true, true, true])
  }
  expect(new Set(tokens).size).toBe(tokens.length)
  // Every character occurs at random places: 500 tokens have 16,000 of them.
  expect(new Set(tokens.flatMap((token) => [...token.slice(4, 36)])).size).toBe(characters.length)
})

test('the checksum is the CRC-32 of the 32 characters, as secret scanners compute it', () => {
  const crc = (text: string) => {
    let rest = 0xffffffff
    for (const byte of Buffer.from(text)) {
      rest ^= byte
      for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1
    }
    return (rest ^ 0xffffffff) >>> 0
  }
  fc.assert(
    fc.property(anyToken, (token) => {
      const value = [...token.slice(36)].reduce((sum, digit) => sum * 62 + characters.indexOf(digit), 0)
      expect(value).toBe(crc(token.slice(4, 36)))
    }),
  )
})

test('a token with one wrong character, or with two neighbours exchanged, is not well formed', () => {
  fc.assert(
    fc.property(anyToken, fc.nat({ max: 37 }), fc.constantFrom(...characters), (token, position, character) => {
      const index = position + 4
      const changed = replaceAt(token, index, character)
      expect(personalTokenForm.isWellFormed(changed)).toBe(changed === token)
      if (index < 35) {
        const swapped = replaceAt(token, index, `${token[index + 1]}${token[index]}`)
        expect(personalTokenForm.isWellFormed(swapped)).toBe(swapped === token)
      }
    }),
  )
})

test('a shortened, extended or padded token is not well formed', () => {
  fc.assert(
    fc.property(anyToken, fc.nat({ max: 41 }), fc.string({ minLength: 1, maxLength: 3 }), (token, length, more) => {
      for (const changed of [token.slice(0, length), token + more, more + token, `${token}\n`, token.toLowerCase()])
        if (changed !== token) expect(personalTokenForm.isWellFormed(changed)).toBe(false)
    }),
  )
})

test('other texts are not well formed', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...characters) })), (text) => {
      expect(personalTokenForm.isWellFormed(text)).toBe(false)
      expect(personalTokenForm.isWellFormed(`psp_${text}`)).toBe(false)
    }),
  )
})
