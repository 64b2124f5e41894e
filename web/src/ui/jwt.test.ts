import { expect, test } from 'vitest'
import { decodeJwt } from './jwt.ts'

const encoded = (value: unknown) =>
  btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

test('decodes a token with any characters', () => {
  const header = { alg: 'ES256', typ: 'at+jwt' }
  for (const name of ['Ada', 'Zoë Øst', 'Zoë ✓', '名前', '?>~ÿ'])
    expect(decodeJwt(`${encoded(header)}.${encoded({ name })}.c2ln`)).toEqual({ header, payload: { name } })
})

test('decodes an unsigned token', () => {
  expect(decodeJwt(`${encoded({ alg: 'none' })}.${encoded({})}.`)).toEqual({ header: { alg: 'none' }, payload: {} })
})

test.for(['', 'opaque', 'a.b', 'a.b.c', '..', `${encoded([])}.${encoded({})}.x`, `${encoded({})}.${encoded(null)}.x`])(
  'rejects “%s” as a token',
  (text) => expect(decodeJwt(text)).toBeUndefined(),
)
