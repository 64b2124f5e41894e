import { expect, test } from 'vitest'
import { explainRefusal, explainWait } from './usage-words.ts'

test.for([
  ['DuplicateRecord', 'AWS has another quantity of the hour already.'],
  ['SomethingNewException', 'AWS refused it: SomethingNewException.'],
  [null, 'AWS refused it.'],
])('the error %s has a reason', ([error, reason]) => {
  expect(explainRefusal({ error: error ?? null }).reason).toBe(reason)
})

test.for([
  ['ThrottlingException', 'AWS had too many requests.'],
  ['AccessDeniedException', 'AWS does not accept the credentials.'],
  ['UnprocessedRecord', 'AWS left it for later.'],
  ['TimeoutError', 'AWS did not answer.'],
  [null, undefined],
])('an hour that waits after %s says why', ([error, words]) => {
  expect(explainWait({ status: 'pending', error: error ?? null })).toBe(words)
})
