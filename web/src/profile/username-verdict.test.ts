import type { UsernameVerdict } from '@passport/contract/profile'
import { expect, test } from 'vitest'
import { allowanceOf, verdictOf } from './username-verdict.ts'

const free: UsernameVerdict = { username: 'ada', verdict: 'free', message: null, changesLeft: 3, nextChangeAt: null }

test.for<[Partial<UsernameVerdict>, string]>([
  [{}, 'ada is free.'],
  [{ verdict: 'taken' }, 'ada is taken: someone has it, or had it in the last 90 days.'],
  [{ verdict: 'yours' }, 'This is your username.'],
  [{ verdict: 'invalid', message: 'Must have 3 to 32 characters.' }, 'Must have 3 to 32 characters.'],
])('%j: %s', ([part, sentence]) => {
  expect(verdictOf({ ...free, ...part })).toBe(sentence)
})

test.for<[Partial<UsernameVerdict>, boolean, string]>([
  [{}, true, 'You can change it 3 times in 30 days.'],
  [{ changesLeft: 2 }, true, 'You can change it 2 more times for now.'],
  [{ changesLeft: 1 }, true, 'You can change it once more for now.'],
  [{ changesLeft: 0, nextChangeAt: '2026-12-05T12:00:00.000Z' }, true, 'You can change it again on December 5, 2026.'],
  [{ changesLeft: 0, nextChangeAt: '2026-12-05T12:00:00.000Z' }, false, 'You can change it 3 times in 30 days.'],
])('%j, has one: %s: %s', ([part, hasOne, sentence]) => {
  expect(allowanceOf({ ...free, ...part }, hasOne)).toBe(sentence)
})
