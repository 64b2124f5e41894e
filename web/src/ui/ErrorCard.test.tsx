import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { ErrorCard } from './ErrorCard.tsx'

const failure = { title: '503 Service Unavailable', detail: 'The database does not answer.', traceId: '0af7651916cd' }

test('a failure is an alert with status, detail and the id that finds it in the log', () => {
  render(<ErrorCard failure={failure} />)
  const { textContent } = screen.getByRole('alert')
  expect(textContent).toBe('503 Service UnavailableThe database does not answer.Trace 0af7651916cd')
})

test('what has no id says nothing of one, and what cannot be tried again has no button', () => {
  render(<ErrorCard failure={{ ...failure, traceId: undefined }} />)
  expect(screen.queryByText(/Trace/)).toBeNull()
  expect(screen.queryByRole('button')).toBeNull()
})

test('what can be tried again is, once for each press', async () => {
  const onRetry = vi.fn()
  render(<ErrorCard failure={failure} onRetry={onRetry} />)
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(onRetry).toHaveBeenCalledOnce()
})
