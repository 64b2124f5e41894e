import { expect, test } from 'vitest'
import { isDismissed } from './SecurityHint.tsx'

test('a dismissed hint stays away, and one about sessions until there are more', () => {
  expect(isDismissed('one-login', [])).toBe(false)
  expect(isDismissed('one-login', ['one-login'])).toBe(true)
  expect(isDismissed('sessions-2', ['sessions-2'])).toBe(true)
  expect(isDismissed('sessions-1', ['sessions-2'])).toBe(true)
  expect(isDismissed('sessions-3', ['sessions-2', 'one-login'])).toBe(false)
  expect(isDismissed('one-login', ['sessions-9'])).toBe(false)
})
