import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildSignInUrl, chooseStep, deriveResult } from './interaction.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const session = (secondsAgo: number, interaction: string | null = null) => ({
  interaction,
  authTime: new Date(now - secondsAgo * 1000).toISOString(),
})

test.for([
  ['signs in without a session', 'login', ['no_session'], undefined, undefined, 'sign in'],
  ['continues with a session', 'login', ['no_session'], undefined, session(60), 'continue'],
  [
    'continues if the library has the session of another user',
    'login',
    ['session_ended'],
    undefined,
    session(60),
    'continue',
  ],
  ['reauthenticates if the client requests it', 'login', ['login_prompt'], undefined, session(1), 'reauthenticate'],
  [
    'reauthenticates with a session of the same second from another interaction',
    'login',
    ['login_prompt'],
    undefined,
    session(0, 'another'),
    'reauthenticate',
  ],
  [
    'continues with a session from this interaction',
    'login',
    ['login_prompt'],
    undefined,
    session(0, 'this'),
    'continue',
  ],
  [
    'reauthenticates with a session from this interaction whose authentication is too old',
    'login',
    ['no_session'],
    300,
    session(301, 'this'),
    'reauthenticate',
  ],
  [
    'continues with a session from this interaction that is recent enough',
    'login',
    ['max_age'],
    0,
    session(5, 'this'),
    'continue',
  ],
  ['reauthenticates if `max_age` is exceeded', 'login', ['max_age'], 300, session(301), 'reauthenticate'],
  [
    'continues if `max_age` is met, although the library reports it',
    'login',
    ['max_age'],
    300,
    session(299),
    'continue',
  ],
  [
    'reauthenticates with `max_age` 0 and no session',
    'login',
    ['no_session', 'max_age'],
    0,
    undefined,
    'reauthenticate',
  ],
  [
    'selects an account if the client names another user',
    'login',
    ['id_token_hint'],
    undefined,
    session(1),
    'select account',
  ],
  [
    'selects an account if the client requests it',
    'select_account',
    ['select_account_prompt'],
    undefined,
    session(1),
    'select account',
  ],
  [
    'continues if the user has selected an account',
    'select_account',
    ['select_account_prompt'],
    undefined,
    session(1, 'this'),
    'continue',
  ],
] as const)('an authorization request %s', ([, prompt, reasons, maxAgeSeconds, callerSession, step]) => {
  expect(chooseStep({ uid: 'this', prompt, reasons: [...reasons], maxAgeSeconds }, callerSession, now)).toBe(step)
})

test('the sign-in URL has the interaction, the prompt of the step and the login hint', () => {
  expect(buildSignInUrl('a b', 'sign in')).toBe('/login?interaction=a%20b')
  expect(buildSignInUrl('u', 'sign in', 'a&b')).toBe('/login?interaction=u&login_hint=a%26b')
  expect(buildSignInUrl('u', 'sign in', `${'x'.repeat(255)}😀`)).toBe(
    `/login?interaction=u&login_hint=${'x'.repeat(255)}`,
  )
  expect(buildSignInUrl('u', 'reauthenticate')).toBe('/login?interaction=u&prompt=login')
  expect(buildSignInUrl('u', 'select account')).toBe('/login?interaction=u&prompt=select_account')
})

test('the result of a request is derived only for the user who has just signed in for it', () => {
  const reason = fc.constantFrom('no_session', 'login_prompt', 'max_age', 'session_ended', 'id_token_hint')
  fc.assert(
    fc.property(
      fc.constantFrom('login', 'select_account', 'consent'),
      fc.array(reason),
      fc.option(fc.constantFrom(0, 10, 300), { nil: undefined }),
      fc.option(fc.record({ interaction: fc.constantFrom('this', 'another', null), age: fc.nat(400) })),
      fc.record({ hasSession: fc.boolean(), hasResult: fc.boolean() }),
      (name, reasons, maxAge, signIn, { hasSession, hasResult }) => {
        const interaction = {
          prompt: { name, reasons, details: {} },
          params: maxAge === undefined ? {} : { max_age: maxAge },
          ...(hasSession && { session: { accountId: 'eve', uid: 'u', cookie: 'c' } }),
          ...(hasResult && { result: { error: 'access_denied' } }),
        }
        const caller = signIn && { ...session(signIn.age, signIn.interaction), userId: 'eve', amr: ['pwd'], acr: null }
        const result = deriveResult('this', interaction, caller ?? undefined, now)
        const isRecent = signIn !== null && signIn.age <= Math.max(maxAge ?? Number.POSITIVE_INFINITY, 60)
        const isFor = signIn?.interaction === 'this' && isRecent && !hasSession && !hasResult && name !== 'consent'
        expect(result !== undefined).toBe(isFor)
        if (result) expect(result.login?.accountId).toBe('eve')
      },
    ),
  )
})
