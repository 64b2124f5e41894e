import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseScopes } from './scopes.ts'

it.for([
  ['openid', ['openid']],
  ['openid email openid', ['openid', 'email']],
  ['https://api.example/read:all !#[]~', ['https://api.example/read:all', '!#[]~']],
  ['', undefined],
  [' openid', undefined],
  ['openid ', undefined],
  ['openid  email', undefined],
  ['openid\temail', undefined],
  ['open"id', undefined],
  ['open\\id', undefined],
  ['é', undefined],
] as const)('the scopes of %j are %j', ([scope, expected]) => {
  expect(parseScopes(scope)).toEqual(expected)
})

it('formatted scopes are parsed as they were, each once', () => {
  const name = fc.stringMatching(/^[\x21\x23-\x5b\x5d-\x7e]+$/)
  fc.assert(
    fc.property(fc.uniqueArray(name, { minLength: 1 }), (scopes) => {
      expect(parseScopes([...scopes, scopes[0]].join(' '))).toEqual(scopes)
    }),
  )
})
