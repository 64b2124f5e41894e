import { expect, it } from 'vitest'
import { toIdTokenClaims } from './id-token.ts'

const token = {
  issuer: 'https://passport.example',
  clientId: 'shop',
  userClaims: { sub: 'eve', email: 'eve@passport.example', email_verified: false, ent: ['a'] },
  scopes: ['openid'],
  nonce: 'n',
  sid: 's',
  authTime: 1_799_999_000,
  amr: ['pwd'],
  acr: 'urn:example:high',
  now: 1_800_000_000,
  lifetimeSec: 3600,
}
const required = { sub: 'eve', azp: 'shop', aud: 'shop', iat: 1_800_000_000, exp: 1_800_003_600, iss: token.issuer }

it.for([
  ['every claim that is known', {}, { nonce: 'n', sid: 's', auth_time: 1_799_999_000, amr: ['pwd'], acr: token.acr }],
  ['no claim that is unknown', { nonce: undefined, sid: undefined, authTime: 0, amr: [], acr: undefined }, {}],
  [
    'the claims of its scopes, also those that are false',
    { scopes: ['openid', 'email'], nonce: undefined, sid: undefined, authTime: undefined, amr: undefined, acr: '' },
    { email: 'eve@passport.example', email_verified: false },
  ],
] as const)('an ID token has %s', ([, changes, expected]) => {
  expect(toIdTokenClaims({ ...token, ...(changes as Partial<typeof token>) })).toStrictEqual({
    ...required,
    ...expected,
  })
})
