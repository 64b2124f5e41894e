import { describe, expect, test } from 'vitest'
import type { Decoded } from '../ui/jwt.ts'
import { momentOf } from './countdown.ts'
import { type Expected, refusalsOf } from './refusals.ts'

const now = 1_800_000_000
const good: Decoded = {
  header: { alg: 'ES256', typ: 'at+jwt', kid: 'k' },
  payload: {
    iss: 'https://id.example',
    aud: 'https://id.example/passport',
    exp: now + 3600,
    iat: now,
    scope: 'openid profile email api_vertex_core',
  },
}
const expected: Expected = {
  issuer: 'https://id.example',
  audience: 'https://id.example/passport',
  scope: 'api_vertex_core',
}
interface Change {
  header?: object
  payload?: object
  wants?: Partial<Expected>
}
const refusals = ({ header, payload, wants }: Change = {}) => {
  const decoded = { header: { ...good.header, ...header }, payload: { ...good.payload, ...payload } }
  return refusalsOf(decoded, { ...expected, ...wants }, now * 1000)
}

test('nothing speaks against a good token, also in other forms of the same', () => {
  expect(refusals()).toEqual([])
  expect(refusals({ header: { typ: 'application/AT+JWT' } })).toEqual([])
  expect(refusals({ payload: { aud: ['https://other.example', expected.audience] } })).toEqual([])
  expect(refusals({ payload: { iat: now + 60, nbf: now } })).toEqual([])
  expect(refusals({ wants: { scope: ' email  openid ' } })).toEqual([])
})

test('an API that expects nothing in particular minds neither audience nor scope', () => {
  expect(refusals({ payload: { aud: 'x', scope: undefined }, wants: { audience: '', scope: '' } })).toEqual([])
})

describe('a token is refused', () => {
  test.for<[why: string, change: Change, told: string]>([
    ['expired', { payload: { exp: now } }, `It expired on ${momentOf(now)}.`],
    ['without an end', { payload: { exp: undefined } }, 'It does not say when it expires.'],
    ['not yet valid', { payload: { nbf: now + 1 } }, `It is not valid before ${momentOf(now + 1)}.`],
    [
      'from the future',
      { payload: { iat: now + 61 } },
      'It was issued in the future: a clock is wrong, that of this machine or that of the issuer.',
    ],
    [
      'of another issuer',
      { payload: { iss: 'https://evil.example' } },
      'It was issued by https://evil.example and not by https://id.example.',
    ],
    [
      'for another API',
      { wants: { audience: 'https://shop.example' } },
      'It is for another API: its audience is https://id.example/passport and not https://shop.example.',
    ],
    [
      'for nobody',
      { payload: { aud: undefined } },
      'It is for another API: its audience is missing and not https://id.example/passport.',
    ],
    ['short of a scope', { wants: { scope: 'openid admin' } }, 'It lacks the scope admin.'],
    ['short of all scopes', { payload: { scope: undefined } }, 'It lacks the scope api_vertex_core.'],
    ['of another type', { header: { typ: 'JWT' } }, 'Its type is JWT and not at+jwt: it is no access token.'],
    ['without a type', { header: { typ: undefined } }, 'Its type is missing and not at+jwt: it is no access token.'],
    ['not signed', { header: { alg: 'none' } }, 'It is not signed.'],
    ['bound', { payload: { cnf: { jkt: 'x' } } }, 'It is bound to a key, which whoever sends it has to prove.'],
  ])('%s', ([, change, told]) => {
    expect(refusals(change)).toEqual([told])
  })

  test('that is none', () => {
    expect(refusalsOf(undefined, expected, now * 1000)).toEqual([
      'It is no JSON Web Token, so an API cannot read it by itself.',
    ])
  })

  test('with all reasons at once', () => {
    expect(refusals({ payload: { exp: 1, iss: 1 }, wants: { audience: 'x', scope: 'a b a' } })).toHaveLength(5)
  })
})
