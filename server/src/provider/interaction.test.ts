import { expect, test } from 'vitest'
import { signInAddress, stepFor } from './interaction.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const session = (secondsAgo: number, interaction: string | null = null) => ({
  interaction,
  authTime: new Date(now - secondsAgo * 1000).toISOString(),
})

test.for([
  ['nobody is signed in', 'login', ['no_session'], undefined, undefined, 'sign in'],
  ['somebody is', 'login', ['no_session'], undefined, session(60), 'go on'],
  ['the session of the library is another’s', 'login', ['session_ended'], undefined, session(60), 'go on'],
  ['the client asks for a new authentication', 'login', ['login_prompt'], undefined, session(1), 'sign in afresh'],
  [
    'one of the same second was not made for it',
    'login',
    ['login_prompt'],
    undefined,
    session(0, 'another'),
    'sign in afresh',
  ],
  ['one was made for it', 'login', ['login_prompt'], undefined, session(0, 'this'), 'go on'],
  [
    'one was made for it, and the provider remembered them',
    'login',
    ['no_session'],
    300,
    session(301, 'this'),
    'sign in afresh',
  ],
  ['one was made for it, and the provider says nothing older', 'login', ['max_age'], 0, session(5, 'this'), 'go on'],
  ['it may not be older', 'login', ['max_age'], 300, session(301), 'sign in afresh'],
  ['it is younger than the library thinks', 'login', ['max_age'], 300, session(299), 'go on'],
  ['it may have no age, and nobody is signed in', 'login', ['no_session', 'max_age'], 0, undefined, 'sign in afresh'],
  ['the client names somebody else', 'login', ['id_token_hint'], undefined, session(1), 'choose another'],
  [
    'the client lets the person choose',
    'select_account',
    ['select_account_prompt'],
    undefined,
    session(1),
    'choose another',
  ],
  ['the person has chosen', 'select_account', ['select_account_prompt'], undefined, session(1, 'this'), 'go on'],
] as const)('%s', ([, prompt, reasons, maxAgeSeconds, found, step]) => {
  expect(stepFor({ uid: 'this', prompt, reasons: [...reasons], maxAgeSeconds }, found, now)).toBe(step)
})

test('each step has its address', () => {
  expect(signInAddress('a b', 'sign in')).toBe('/login?interaction=a%20b')
  expect(signInAddress('u', 'sign in', 'a&b')).toBe('/login?interaction=u&login_hint=a%26b')
  expect(signInAddress('u', 'sign in afresh')).toBe('/login?interaction=u&prompt=login')
  expect(signInAddress('u', 'choose another')).toBe('/login?interaction=u&prompt=select_account')
})
