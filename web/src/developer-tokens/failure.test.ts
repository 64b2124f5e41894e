import { expect, test } from 'vitest'
import { failureOf } from './failure.ts'

const detailOf = (code: string) => failureOf(Object.assign(new Error('for programs'), { code })).detail

test('one who said no is told that, in words', () => {
  expect(detailOf('access_denied')).toBe('You did not allow it on the consent page. Nothing was given to this page.')
})

test('what has no words of its own is told by its code, and never by its message', () => {
  expect(detailOf('server_error')).toBe('The sign-in could not be completed (server_error).')
  expect(failureOf(new Error('for programs')).detail).toBe('The sign-in could not be completed.')
  expect(failureOf(undefined).detail).toBe('The sign-in could not be completed.')
})
