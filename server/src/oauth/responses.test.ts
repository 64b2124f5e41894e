import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildResponseUrl, chooseResponseMode } from './responses.ts'

test('a response is in the query, whose other parameters stay, or in the fragment', () => {
  const parameters = { code: 'the code', state: 'a&b', iss: 'https://id.example', session_state: undefined }
  expect(buildResponseUrl('https://shop.example/callback?kept=1', parameters, 'query')).toBe(
    'https://shop.example/callback?kept=1&code=the+code&state=a%26b&iss=https%3A%2F%2Fid.example',
  )
  expect(buildResponseUrl('https://shop.example/callback?kept=1', parameters, 'fragment')).toBe(
    'https://shop.example/callback?kept=1#code=the+code&state=a%26b&iss=https%3A%2F%2Fid.example',
  )
  expect(buildResponseUrl('com.example.app:/callback', { code: 'c' }, 'query')).toBe('com.example.app:/callback?code=c')
})

test('a response of any characters is read as it was, at the same address', () => {
  const value = fc.option(fc.string({ unit: 'grapheme' }), { nil: undefined })
  const property = fc.property(
    fc.record({ code: value, state: value, error_description: value }),
    fc.constantFrom('query' as const, 'fragment' as const),
    (parameters, mode) => {
      const url = new URL(buildResponseUrl('https://shop.example/callback', parameters, mode))
      expect(url.origin + url.pathname).toBe('https://shop.example/callback')
      const read = mode === 'query' ? url.searchParams : new URLSearchParams(url.hash.slice(1))
      const defined = Object.entries(parameters).filter(([, each]) => each !== undefined)
      expect(Object.fromEntries(read)).toEqual(Object.fromEntries(defined))
    },
  )
  fc.assert(property)
})

test('the response mode is the one of the request, or the default of its response type', () => {
  expect(chooseResponseMode('form_post', 'token')).toBe('form_post')
  expect(['code', undefined, 'none'].map((type) => chooseResponseMode(undefined, type))).toEqual(Array(3).fill('query'))
  expect(['token', 'code id_token'].map((type) => chooseResponseMode('unknown', type))).toEqual([
    'fragment',
    'fragment',
  ])
})
