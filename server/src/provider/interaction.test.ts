import { expect, test } from 'vitest'
import { chooseStep, signInUrl } from './interaction.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const session = (secondsAgo: number, interaction: string | null = null) => ({
  interaction,
  authTime: new Date(now - secondsAgo * 1000).toISOString(),
})

test.for([
  ['no session', 'login', ['no_session'], undefined, undefined, 'sign in'],
  ['a session', 'login', ['no_session'], undefined, session(60), 'go on'],
  ['the library has the session of another user', 'login', ['session_ended'], undefined, session(60), 'go on'],
  ['the client requests a new authentication', 'login', ['login_prompt'], undefined, session(1), 'sign in afresh'],
  [
    'a session of the same second, from another interaction',
    'login',
    ['login_prompt'],
    undefined,
    session(0, 'another'),
    'sign in afresh',
  ],
  ['a session from this interaction', 'login', ['login_prompt'], undefined, session(0, 'this'), 'go on'],
  [
    'a session from this interaction with a remembered authentication',
    'login',
    ['no_session'],
    300,
    session(301, 'this'),
    'sign in afresh',
  ],
  ['a session from this interaction, recent enough', 'login', ['max_age'], 0, session(5, 'this'), 'go on'],
  ['max_age is exceeded', 'login', ['max_age'], 300, session(301), 'sign in afresh'],
  ['max_age is met, unlike the library computed', 'login', ['max_age'], 300, session(299), 'go on'],
  ['max_age is 0 and there is no session', 'login', ['no_session', 'max_age'], 0, undefined, 'sign in afresh'],
  ['the client names another user', 'login', ['id_token_hint'], undefined, session(1), 'choose another'],
  [
    'the client requests account selection',
    'select_account',
    ['select_account_prompt'],
    undefined,
    session(1),
    'choose another',
  ],
  [
    'the user has selected an account',
    'select_account',
    ['select_account_prompt'],
    undefined,
    session(1, 'this'),
    'go on',
  ],
] as const)('%s', ([, prompt, reasons, maxAgeSeconds, callerSession, step]) => {
  expect(chooseStep({ uid: 'this', prompt, reasons: [...reasons], maxAgeSeconds }, callerSession, now)).toBe(step)
})

test('each step has its address', () => {
  expect(signInUrl('a b', 'sign in')).toBe('/login?interaction=a%20b')
  expect(signInUrl('u', 'sign in', 'a&b')).toBe('/login?interaction=u&login_hint=a%26b')
  expect(signInUrl('u', 'sign in afresh')).toBe('/login?interaction=u&prompt=login')
  expect(signInUrl('u', 'choose another')).toBe('/login?interaction=u&prompt=select_account')
})
