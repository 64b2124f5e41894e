import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type AuthMethod,
  canRetryPlainly,
  chooseAuthMethod,
  choosePrompt,
  chooseScopes,
  isTooLong,
  mergeUserInfo,
  needsUserInfo,
  normalizeClaims,
  type Prompt,
  type UserClaims,
} from './provider-choices.ts'

test.for<[string[] | undefined, AuthMethod | undefined, AuthMethod]>([
  [undefined, undefined, 'client_secret_basic'],
  [['client_secret_basic'], undefined, 'client_secret_basic'],
  [['client_secret_post', 'client_secret_basic'], undefined, 'client_secret_basic'],
  [['client_secret_post'], undefined, 'client_secret_post'],
  [['private_key_jwt', 'client_secret_post'], undefined, 'client_secret_post'],
  [['client_secret_jwt', 'private_key_jwt'], undefined, 'client_secret_jwt'],
  [['private_key_jwt', 'none'], undefined, 'client_secret_basic'],
  [[], undefined, 'client_secret_basic'],
  [['client_secret_post'], 'client_secret_basic', 'client_secret_basic'],
  [['client_secret_basic'], 'client_secret_basic_raw', 'client_secret_basic_raw'],
])(
  'of the announced methods %j, with the setting %s, the client authenticates by %s',
  ([announced, setting, chosen]) => {
    const metadata = announced && { token_endpoint_auth_methods_supported: announced }
    expect(chooseAuthMethod(metadata ?? {}, setting)).toBe(chosen)
  },
)

test.for<[string[] | undefined, Prompt | undefined, boolean, Prompt | undefined]>([
  [undefined, 'select_account', false, 'select_account'],
  [undefined, undefined, false, undefined],
  [['none', 'login', 'consent'], 'select_account', false, undefined],
  [['none', 'login', 'consent'], 'login', false, 'login'],
  [['select_account'], 'select_account', false, 'select_account'],
  [['select_account'], 'login', false, undefined],
  [[], 'login', false, undefined],
  [undefined, 'select_account', true, undefined],
  [['select_account'], 'select_account', true, undefined],
])('of the announced prompts %j, %s (in a plain request: %s) becomes %s', ([announced, wanted, isPlain, chosen]) => {
  const metadata = announced && { prompt_values_supported: announced }
  expect(choosePrompt(metadata ?? {}, wanted, { isPlain })).toBe(chosen)
})

test.for<[string[] | undefined, boolean, string]>([
  [undefined, false, 'openid profile email'],
  [['openid'], false, 'openid profile email'],
  [undefined, true, 'openid profile email'],
  [['openid', 'email', 'phone'], true, 'openid email'],
  [[], true, 'openid'],
])('of the announced scopes %j, a request (plain: %s) has %s', ([announced, isPlain, chosen]) => {
  expect(chooseScopes(announced ? { scopes_supported: announced } : {}, { isPlain })).toBe(chosen)
})

test.for<[string, Prompt | undefined, boolean, boolean]>([
  ['account_selection_required', 'select_account', false, true],
  ['invalid_request', 'select_account', false, true],
  ['invalid_request', 'login', false, true],
  ['login_required', 'select_account', false, true],
  ['interaction_required', 'login', false, true],
  ['invalid_scope', undefined, false, true],
  ['account_selection_required', undefined, false, false],
  ['invalid_request', undefined, false, false],
  ['access_denied', 'select_account', false, false],
  ['server_error', 'select_account', false, false],
  ['account_selection_required', 'select_account', true, false],
  ['invalid_scope', undefined, true, false],
])(
  'after %s to the prompt %s (in a plain request: %s), a plain request follows: %s',
  ([error, prompt, isPlain, isRetried]) => {
    expect(canRetryPlainly(error, { prompt, isPlain })).toBe(isRetried)
  },
)

describe('user info', () => {
  const complete = { name: 'Ada', preferred_username: 'ada', email: 'ada@id.example', email_verified: true }
  const userinfo_endpoint = 'https://id.example/userinfo'

  test.for<[string, UserClaims, string[] | undefined, boolean]>([
    ['everything', complete, undefined, false],
    ['an unverified email', { ...complete, email_verified: false }, undefined, false],
    ['nothing', {}, undefined, true],
    ['no name', { ...complete, name: undefined }, undefined, true],
    ['an empty name', { ...complete, name: '' }, undefined, true],
    ['a number as the name', { ...complete, name: 42 }, undefined, true],
    ['a list as the email', { ...complete, email: ['ada@id.example'] }, undefined, true],
    ['a number as email_verified', { ...complete, email_verified: 1 }, ['sub'], true],
    ['email_verified as a text', { ...complete, email_verified: 'false' }, undefined, false],
    ['null as the email', { ...complete, email: null }, ['sub'], true],
    ['no email_verified', { ...complete, email_verified: undefined }, ['sub'], true],
    ['no username', { ...complete, preferred_username: undefined }, undefined, true],
    ['no username, which is announced', { ...complete, preferred_username: undefined }, ['preferred_username'], true],
    ['no username, which is not announced', { ...complete, preferred_username: undefined }, ['name'], false],
  ])('for an ID token with %s', ([, claims, announced, isNeeded]) => {
    const metadata = announced ? { claims_supported: announced } : {}
    expect(needsUserInfo({ ...metadata, userinfo_endpoint }, claims)).toBe(isNeeded)
    expect(needsUserInfo(metadata, claims)).toBe(false)
  })

  test('adds what the ID token lacks, and replaces nothing', () => {
    const idToken = { sub: 'ada', name: 'Ada', preferred_username: '', email: 'ada@id.example', email_verified: false }
    const userInfo = { name: 'Eve', preferred_username: 'eve', email: 'eve@id.example', email_verified: true }
    expect(mergeUserInfo(idToken, userInfo)).toEqual({ ...idToken, preferred_username: 'eve' })
    expect(mergeUserInfo({}, userInfo)).toEqual(userInfo)
  })

  test('verifies an email only if it is the same', () => {
    const [own, other] = ['ada@id.example', 'eve@id.example']
    expect(mergeUserInfo({ email: own }, { email: own, email_verified: true }).email_verified).toBe(true)
    expect(mergeUserInfo({ email: own }, { email: other, email_verified: true }).email_verified).toBeUndefined()
    expect(mergeUserInfo({ email: own }, { email_verified: true }).email_verified).toBeUndefined()
    expect(mergeUserInfo({ email_verified: true }, { email: other })).toMatchObject({
      email: other,
      email_verified: undefined,
    })
  })

  test('never makes a verified email of two statements', () => {
    const claims = fc.record(
      {
        email: fc.constantFrom('a@id.example', 'b@id.example', '', null),
        email_verified: fc.constantFrom(true, false, 'true', null),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(claims, claims, (idToken, userInfo) => {
        const { email, email_verified } = mergeUserInfo<UserClaims>(idToken, userInfo)
        const isVerified = email_verified === true || email_verified === 'true'
        const stated = [idToken, userInfo].some(
          (each) => each.email === email && each.email_verified === email_verified,
        )
        if (isVerified && email) expect(stated).toBe(true)
      }),
    )
  })
})

test.for([
  [true, true],
  [false, false],
  ['true', true],
  ['True', true],
  ['false', false],
  ['yes', false],
  ['', false],
  [1, 1],
  [undefined, undefined],
] as const)('email_verified %j is read as %j', ([sent, read]) => {
  expect(normalizeClaims({ email_verified: sent }).email_verified).toBe(read)
})

test('a URL of more than 2,000 characters is too long', () => {
  expect(isTooLong(new URL(`https://id.example/${'x'.repeat(1981)}`))).toBe(false)
  expect(isTooLong(new URL(`https://id.example/${'x'.repeat(1982)}`))).toBe(true)
})
