import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readClientCredentials } from './client-authentication.ts'

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
const read = (authorization: string | undefined, parameters: Record<string, string> = {}) =>
  readClientCredentials(authorization, new Map(Object.entries(parameters)))

test.each([
  ['Basic', basic('shop:secret'), {}, 'shop', 'secret'],
  ['Basic in another case', basic('shop:secret').replace('Basic', 'bASIC'), {}, 'shop', 'secret'],
  ['Basic without padding', basic('shop:secr').replaceAll('=', ''), {}, 'shop', 'secr'],
  ['Basic with the same client_id', basic('shop:secret'), { client_id: 'shop' }, 'shop', 'secret'],
  [
    'percent signs and plus signs',
    basic('https%3A%2F%2Fshop.example:a+b%2Bc%25'),
    {},
    'https://shop.example',
    'a b+c%',
  ],
  ['a colon in the secret', basic('shop:a:b'), {}, 'shop', 'a:b'],
  ['parameters', undefined, { client_id: 'shop', client_secret: 'secret' }, 'shop', 'secret'],
  ['a public client', undefined, { client_id: 'shop' }, 'shop', undefined],
])('%s is read', (_name, authorization, parameters, clientId, secret) => {
  expect(read(authorization, parameters as Record<string, string>)).toEqual({ clientId, secret })
})

test.each([
  ['nothing', undefined, {}, 'invalid_request'],
  ['only a secret', undefined, { client_secret: 'secret' }, 'invalid_request'],
  ['both mechanisms', basic('shop:secret'), { client_secret: 'secret' }, 'invalid_request'],
  ['two client ids', basic('shop:secret'), { client_id: 'other' }, 'invalid_request'],
  ['another scheme', 'Bearer abc', {}, 'invalid_request'],
  ['no colon', basic('shop'), {}, 'invalid_request'],
  ['no client id', basic(':secret'), {}, 'invalid_request'],
  ['no secret', basic('shop:'), {}, 'invalid_request'],
  ['a percent sign alone', basic('shop:100%'), {}, 'invalid_request'],
  ['characters outside ASCII', basic('shop:gehe%C3%ADm'), {}, 'invalid_request'],
  ['a control character', basic('shop:a%00b'), {}, 'invalid_request'],
  ['wrong padding', 'Basic c2hvcDpzZWNy=', {}, 'invalid_request'],
  ['characters after the value', `${basic('shop:secret')} x`, {}, 'invalid_request'],
  ['an assertion', undefined, { client_id: 'shop', client_assertion: 'a.b.c' }, 'invalid_client'],
])('%s is refused', (_name, authorization, parameters, code) => {
  expect(() => read(authorization, parameters as Record<string, string>)).toThrow(expect.objectContaining({ code }))
})

test('every id and secret of visible characters survives both encodings', () => {
  const visible = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map(String.fromCharCode), minLength: 1 })
  const encode = (text: string) => new URLSearchParams({ text }).toString().slice('text='.length)
  fc.assert(
    fc.property(visible, visible, (clientId, secret) => {
      expect(read(basic(`${encode(clientId)}:${encode(secret)}`))).toEqual({ clientId, secret })
    }),
  )
})

test('any header either names a client or is refused', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      for (const header of [text, `Basic ${text}`, basic(text)]) {
        try {
          expect(read(header).clientId).not.toBe('')
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_request' })
        }
      }
    }),
  )
})
