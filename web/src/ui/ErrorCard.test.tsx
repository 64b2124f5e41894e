import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { ErrorCard } from './ErrorCard.tsx'

const failure = { title: '503 Service Unavailable', detail: 'The database is not responding.', traceId: '0af7651916cd' }

test('shows a failure as an alert with status, detail and trace id', () => {
  render(<ErrorCard failure={failure} />)
  const { textContent } = screen.getByRole('alert')
  expect(textContent).toBe('503 Service UnavailableThe database is not responding.Trace 0af7651916cd')
})

test('omits a missing trace id, and the button of a failure that cannot be retried', () => {
  render(<ErrorCard failure={{ ...failure, traceId: undefined }} />)
  expect(screen.queryByText(/Trace/)).toBeNull()
  expect(screen.queryByRole('button')).toBeNull()
})

test('retries once for each press', async () => {
  const onRetry = vi.fn()
  render(<ErrorCard failure={failure} onRetry={onRetry} />)
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(onRetry).toHaveBeenCalledOnce()
})
