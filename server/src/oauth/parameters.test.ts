import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readParameters, readResources } from './parameters.ts'

const read = (query: string) => Object.fromEntries(readParameters(new URLSearchParams(query)))

test('a parameter without a value counts as omitted', () => {
  expect(read('scope=&state=a%20b&nonce')).toEqual({ state: 'a b' })
})

test.each([
  ['code=a&code=b', "'code' parameter must not be provided twice"],
  ['code=a&code=', "'code' parameter must not be provided twice"],
  ['a=1&a=1&b=1&b=1&b=1', "'a', 'b' parameters must not be provided twice"],
  [
    Array.from({ length: 21 }, (_, index) => `p${index}=1`).join('&'),
    'a request must not have more than 20 parameters',
  ],
])('%s is refused', (query, message) => {
  expect(() => read(query)).toThrow(expect.objectContaining({ code: 'invalid_request', status: 400, message }))
})

test('resource may be repeated, and is read separately', () => {
  const form = new URLSearchParams('resource=a&resource=b&resource=a&resource=&scope=s')
  expect(Object.fromEntries(readParameters(form))).toEqual({ scope: 's' })
  expect(readResources(form)).toEqual(['a', 'b'])
})

test('any names and values are read as they are, once each', () => {
  const values = fc.dictionary(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), { maxKeys: 20 })
  fc.assert(
    fc.property(values, (sent) => {
      const { resource: _resource, ...expected } = sent
      const wellFormed = Object.entries(expected).map(([name, value]) => [name.toWellFormed(), value.toWellFormed()])
      fc.pre(new Set(wellFormed.map(([name]) => name)).size === wellFormed.length)
      expect([...readParameters(new URLSearchParams(sent))]).toEqual(wellFormed)
    }),
  )
})
