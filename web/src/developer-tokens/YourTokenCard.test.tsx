import type { User } from '@passport/sign-in'
import { act, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { YourTokenCard } from './YourTokenCard.tsx'

const expiresAt = Date.parse('2026-05-04T14:32:00') / 1000
const show = (overrides: Partial<User> = {}) => {
  const profile = { sub: 'ada', name: 'Ada Lovelace', preferred_username: 'ada' }
  const user = { expires_at: expiresAt, profile, ...overrides } as User
  render(<YourTokenCard user={user} token="abc" onClear={() => {}} />)
}
const textOf = (label: string) => screen.getByLabelText<HTMLInputElement>(label).value

beforeEach(() => {
  vi.useFakeTimers({ now: (expiresAt - 61) * 1000 })
})
afterEach(() => void vi.useRealTimers())

test('shows the owner of the token, and its expiry in seconds', () => {
  show()
  expect(textOf('Expires At')).toBe(String(expiresAt))
  expect(textOf('Display Name')).toBe('Ada Lovelace')
  expect(textOf('Username')).toBe('ada')
  for (const field of screen.getAllByRole<HTMLInputElement>('textbox')) expect(field.readOnly).toBe(true)
})

test('counts down, and reports the expiry', () => {
  show()
  expect(screen.getByText('in 1 minute, 14:32')).toBeDefined()
  act(() => void vi.advanceTimersByTime(21_000))
  expect(screen.getByText('in 40 seconds, 14:32')).toBeDefined()
  act(() => void vi.advanceTimersByTime(42_000))
  expect(screen.getByText('expired 2 seconds ago, 14:32')).toBeDefined()
})

test('has empty fields for missing claims', () => {
  show({ expires_at: undefined, profile: { sub: 'ada' } })
  expect(textOf('Expires At')).toBe('')
  expect(textOf('Display Name')).toBe('')
  expect(screen.getByText('No expiry reported')).toBeDefined()
})
