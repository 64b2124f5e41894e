import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { ErrorCard } from './ErrorCard.tsx'

const failure = {
  title: "Couldn't load users",
  detail: 'The database is not responding.',
  supportCode: '0AF7-6519',
}

test('shows a failure as an alert with what failed, why, and the support code', () => {
  render(<ErrorCard failure={failure} />)
  const { textContent } = screen.getByRole('alert')
  expect(textContent).toBe("Couldn't load usersThe database is not responding.Support code 0AF7-6519")
})

test('omits a missing support code, and the button of a failure that cannot be retried', () => {
  render(<ErrorCard failure={{ ...failure, supportCode: undefined }} />)
  expect(screen.queryByText(/Support code/)).toBeNull()
  expect(screen.queryByRole('button')).toBeNull()
})

test('retries once for each press', async () => {
  const onRetry = vi.fn()
  render(<ErrorCard failure={failure} onRetry={onRetry} />)
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(onRetry).toHaveBeenCalledOnce()
})
