import { listLogins, listSessions } from '@passport/contract/accounts'
import { notifyManager, QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { query } from './api.ts'
import { queryClient } from './query-client.ts'
import { SecurityHint } from './SecurityHint.tsx'

notifyManager.setScheduler(queueMicrotask)

/** Renders the hint for a user with the given numbers of logins and sessions. */
async function renderHint(loginCount: number, sessionCount: number) {
  queryClient.setQueryData(query(listLogins, {}).queryKey, Array.from({ length: loginCount }, () => ({})) as never)
  queryClient.setQueryData(
    query(listSessions, {}).queryKey,
    Array.from({ length: sessionCount }, (_, index) => ({ current: index === 0 })) as never,
  )
  const component = () => (
    <main>
      <SecurityHint userId="eve" />
    </main>
  )
  const router = createRouter({ routeTree: createRootRoute({ component }), history: createMemoryHistory() })
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  )
  await screen.findByRole('main')
}

afterEach(() => {
  cleanup()
  queryClient.clear()
  localStorage.clear()
})

test('makes no suggestion to a user with two sign-in methods and one session', async () => {
  await renderHint(2, 1)
  expect(screen.queryByRole('complementary')).toBeNull()
})

test('makes one suggestion at a time, and does not repeat a dismissed one', async () => {
  await renderHint(1, 3)
  expect(screen.getByRole('complementary').textContent).toContain("You're signed in on 2 other devices.")
  await userEvent.click(screen.getByRole('button', { name: 'Dismiss' }))
  expect(screen.getByRole('complementary').textContent).toContain('You have one sign-in method.')
  await userEvent.click(screen.getByRole('button', { name: 'Dismiss' }))
  expect(screen.queryByRole('complementary')).toBeNull()
  cleanup()
  await renderHint(1, 3)
  expect(screen.queryByRole('complementary')).toBeNull()
})
