import { describe, expect, test } from 'vitest'
import type { DecodedJwt } from '../ui/jwt.ts'
import { formatInstant } from './format-time.ts'
import { type Expected, findRejectionReasons } from './rejection-reasons.ts'

const now = 1_800_000_000
const validToken: DecodedJwt = {
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
interface Changes {
  header?: object
  payload?: object
  expects?: Partial<Expected>
}
const findReasons = ({ header, payload, expects }: Changes = {}) => {
  const decoded = { header: { ...validToken.header, ...header }, payload: { ...validToken.payload, ...payload } }
  return findRejectionReasons(decoded, { ...expected, ...expects }, now * 1000)
}

test('accepts all equivalent forms of a valid token', () => {
  expect(findReasons()).toEqual([])
  expect(findReasons({ header: { typ: 'application/AT+JWT' } })).toEqual([])
  expect(findReasons({ payload: { aud: ['https://other.example', expected.audience] } })).toEqual([])
  expect(findReasons({ payload: { iat: now + 60, nbf: now } })).toEqual([])
  expect(findReasons({ expects: { scope: ' email  openid ' } })).toEqual([])
})

test('ignores audience and scope if the API expects none', () => {
  expect(findReasons({ payload: { aud: 'x', scope: undefined }, expects: { audience: '', scope: '' } })).toEqual([])
})

describe('rejects a token', () => {
  test.for<[description: string, changes: Changes, reason: string]>([
    ['that expired', { payload: { exp: now } }, `The token expired on ${formatInstant(now)}.`],
    ['without an expiry', { payload: { exp: undefined } }, 'The token has no expiry.'],
    [
      'that is not valid yet',
      { payload: { nbf: now + 1 } },
      `The token is not valid before ${formatInstant(now + 1)}.`,
    ],
    [
      'issued in the future',
      { payload: { iat: now + 61 } },
      'The token was issued in the future. Check the clocks of this machine and of the issuer.',
    ],
    [
      'from another issuer',
      { payload: { iss: 'https://evil.example' } },
      'The issuer is https://evil.example, not https://id.example.',
    ],
    [
      'for another API',
      { expects: { audience: 'https://shop.example' } },
      'The audience is https://id.example/passport, not https://shop.example.',
    ],
    [
      'without an audience',
      { payload: { aud: undefined } },
      'The audience is missing, not https://id.example/passport.',
    ],
    ['without a required scope', { expects: { scope: 'openid admin' } }, 'The scope admin is missing.'],
    ['without any scope', { payload: { scope: undefined } }, 'The scope api_vertex_core is missing.'],
    ['of another type', { header: { typ: 'JWT' } }, 'The type is JWT, not at+jwt, so this is not an access token.'],
    [
      'without a type',
      { header: { typ: undefined } },
      'The type is missing, not at+jwt, so this is not an access token.',
    ],
    ['that is not signed', { header: { alg: 'none' } }, 'The token is not signed.'],
    [
      'bound to a key',
      { payload: { cnf: { jkt: 'x' } } },
      'The token is bound to a key, and the sender must prove possession of it.',
    ],
  ])('%s', ([, changes, reason]) => {
    expect(findReasons(changes)).toEqual([reason])
  })

  test('that is not a JSON Web Token', () => {
    expect(findRejectionReasons(undefined, expected, now * 1000)).toEqual([
      "Not a JSON Web Token, so an API can't read it.",
    ])
  })

  test('with all reasons, not only the first', () => {
    expect(findReasons({ payload: { exp: 1, iss: 1 }, expects: { audience: 'x', scope: 'a b a' } })).toHaveLength(5)
  })
})
