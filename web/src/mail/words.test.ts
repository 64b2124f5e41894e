import { expect, test } from 'vitest'
import { describeResponse, nameKind } from './words.ts'

test('a kind has its name, and an unknown one is an email', () => {
  expect(['new-device', 'toString', null].map(nameKind)).toEqual(['New device', 'Email', 'Email'])
})

test.for([
  ['failed', 'Message failed: 550 No such user', '550 No such user'],
  ['failed', "Can't send mail - all recipients were rejected: 550 5.1.1 Unknown", '550 5.1.1 Unknown'],
  ['queued', 'connect ECONNREFUSED 127.0.0.1:25', 'connect ECONNREFUSED 127.0.0.1:25'],
  ['off', null, 'No mail server'],
  ['queued', null, ''],
] as const)('an email that is %s with the response %s says “%s”', ([state, response, text]) => {
  expect(describeResponse({ state, response })).toBe(text)
})
