import { expect, test } from 'vitest'
import { toFailure } from './failure.ts'

const detailOf = (code: string) => toFailure(Object.assign(new Error('internal message'), { code })).detail

test('explains a denied consent', () => {
  expect(detailOf('access_denied')).toBe('You denied access on the consent page.')
})

test('reports an unknown failure by its code, never by its message', () => {
  expect(detailOf('server_error')).toBe("The sign-in couldn't be completed (server_error).")
  expect(toFailure(new Error('internal message')).detail).toBe("The sign-in couldn't be completed.")
  expect(toFailure(undefined).detail).toBe("The sign-in couldn't be completed.")
})
