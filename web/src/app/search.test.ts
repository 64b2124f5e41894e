import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseSearch, stringifySearch } from './search.ts'

test.for([
  ['', {}],
  ['?', {}],
  ['?q=a', { q: 'a' }],
  ['q=a', { q: 'a' }],
  ['?q=', { q: '' }],
  ['?q', { q: '' }],
  ['?q=a&q=b', { q: ['a', 'b'] }],
  ['?q=a&x=1&q=a', { q: ['a', 'a'], x: '1' }],
  ['?q=a%20b+c', { q: 'a b c' }],
  ['?q=a%2Bb', { q: 'a+b' }],
  ['?returnUrl=%2Fapp%2Fa%3Fb%3D1%23c', { returnUrl: '/app/a?b=1#c' }],
] as const)('parses %s as %j', ([search, expected]) => {
  expect(parseSearch(search)).toEqual(expected)
})

test.for(['123', '007', 'true', 'null', '"quoted"', '[1,2]', '{"a":1}', '1e3'])('keeps %s as text', (text) => {
  expect(parseSearch(stringifySearch({ q: text }))).toEqual({ q: text })
})

test.for([
  [{}, ''],
  [{ q: undefined }, ''],
  [{ q: [] }, ''],
  [{ q: '' }, '?q='],
  [{ q: 'a b' }, '?q=a%20b'],
  [{ q: 'a+b' }, '?q=a%2Bb'],
  [{ q: 'a%20b' }, '?q=a%2520b'],
  [{ q: ['a', 'b'], x: 1 }, '?q=a&q=b&x=1'],
  [{ 'a b': '&=#?' }, '?a%20b=%26%3D%23%3F'],
] as const)('formats %j as %s', ([search, expected]) => {
  expect(stringifySearch(search)).toBe(expected)
})

const text = fc.string({ unit: 'binary' })
const queries = fc.dictionary(
  text.filter((name) => name !== '__proto__'),
  fc.oneof(text, fc.array(text, { minLength: 2, maxLength: 4 })),
)

test('parses every formatted query back', () => {
  fc.assert(
    fc.property(queries, (query) => {
      expect(parseSearch(stringifySearch(query))).toEqual({ ...query })
    }),
  )
})

test('formatting a parsed query is idempotent, and never writes a space as a plus', () => {
  fc.assert(
    fc.property(fc.webQueryParameters(), (search) => {
      const normalised = stringifySearch(parseSearch(search))
      expect(stringifySearch(parseSearch(normalised))).toBe(normalised)
      expect(normalised).not.toContain('+')
    }),
  )
})
