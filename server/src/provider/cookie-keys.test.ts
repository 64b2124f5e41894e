import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCookieKeys } from './cookie-keys.ts'

const texts = ['the current key', 'the key before']
const { sign, index, verify } = createCookieKeys(texts)
/** The signature of Keygrip. */
const signAsKeygrip = (data: string, key = '') => createHmac('sha1', key).update(data).digest('base64url')

test('cookies are signed and found as by Keygrip, so that those of an earlier release stay valid', () => {
  fc.assert(
    fc.property(fc.string(), (data) => {
      expect(sign(data)).toBe(signAsKeygrip(data, texts[0]))
      expect(texts.map((key) => index(data, signAsKeygrip(data, key)))).toEqual([0, 1])
    }),
  )
})

test('any other signature is that of no key', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (data, signature) => {
      fc.pre(!texts.some((key) => signAsKeygrip(data, key) === signature))
      expect(index(data, signature)).toBe(-1)
      expect(verify(data, signature)).toBe(false)
    }),
  )
  expect(index('data', sign('data').slice(1))).toBe(-1)
  expect(verify('data', sign('other'))).toBe(false)
})
