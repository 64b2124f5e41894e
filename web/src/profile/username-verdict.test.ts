import type { UsernameVerdict } from '@passport/contract/profile'
import { expect, test } from 'vitest'
import { formatAllowance, formatVerdict } from './username-verdict.ts'

const free: UsernameVerdict = { username: 'ada', verdict: 'free', message: null, changesLeft: 3, nextChangeAt: null }

test.for<[Partial<UsernameVerdict>, string]>([
  [{}, 'ada is available.'],
  [{ verdict: 'taken' }, 'ada is taken, or was used in the last 90 days.'],
  [{ verdict: 'yours' }, 'This is your username.'],
  [{ verdict: 'invalid', message: 'Must have 3 to 32 characters.' }, 'Must have 3 to 32 characters.'],
])('formatVerdict formats %j as “%s”', ([part, sentence]) => {
  expect(formatVerdict({ ...free, ...part })).toBe(sentence)
})

test.for<[Partial<UsernameVerdict>, boolean, string]>([
  [{}, true, 'You can change it 3 times in 30 days.'],
  [{ changesLeft: 2 }, true, '2 changes left in this 30-day period.'],
  [{ changesLeft: 1 }, true, '1 change left in this 30-day period.'],
  [{ changesLeft: 0, nextChangeAt: '2026-12-05T12:00:00.000Z' }, true, 'You can change it again on December 5, 2026.'],
  [{ changesLeft: 0, nextChangeAt: '2026-12-05T12:00:00.000Z' }, false, 'You can change it 3 times in 30 days.'],
])('formatAllowance formats %j, with a username: %s, as “%s”', ([part, hasUsername, sentence]) => {
  expect(formatAllowance({ ...free, ...part }, hasUsername)).toBe(sentence)
})
