import type { CurrentUser } from '@passport/contract/current-user'
import { notifyManager, QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { currentUserQuery } from './current-user.ts'
import { openPageAs } from './page-user.ts'
import { queryClient } from './query-client.ts'
import { SessionBar } from './SessionBar.tsx'
import { parseSearch, stringifySearch } from './search.ts'

const person = (sub: string, claims: { name?: string; preferred_username?: string } = {}, ...roles: string[]) => ({
  claims: { sub, idp: 'local', auth_time: 1, ...claims },
  roles,
  orgs: [],
})
notifyManager.setScheduler(queueMicrotask)
const pollFinds = (user: CurrentUser | null) =>
  act(async () => void queryClient.setQueryData(currentUserQuery.queryKey, user))

/** The bar on a page that was opened by `user`. */
async function openAs(user: CurrentUser | null) {
  queryClient.setQueryData(currentUserQuery.queryKey, user)
  openPageAs(user)
  const router = createRouter({
    routeTree: createRootRoute({
      component: () => (
        <main>
          <SessionBar />
        </main>
      ),
    }),
    basepath: '/app',
    parseSearch,
    stringifySearch,
    history: createMemoryHistory({ initialEntries: ['/app/?q=a%20b#part'] }),
  })
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  )
  await screen.findByRole('main')
}

afterEach(() => {
  cleanup()
  openPageAs(null)
  queryClient.clear()
})

test('there is none while nothing has changed, nor for a stranger who signs in', async () => {
  await openAs(null)
  await pollFinds(person('eve'))
  expect(screen.queryByRole('alert')).toBeNull()
})

test('a sign-out is told, with the way back to this very page, until one is in again', async () => {
  await openAs(person('eve'))
  expect(screen.queryByRole('alert')).toBeNull()
  await pollFinds(null)
  expect(screen.getByRole('alert').textContent).toContain("You've been signed out.")
  expect(screen.getByRole('link', { name: 'Sign in again' }).getAttribute('href')).toBe(
    `/login?returnUrl=${encodeURIComponent('/app/?q=a%20b#part')}`,
  )
  await pollFinds(person('eve'))
  expect(screen.queryByRole('alert')).toBeNull()
})

test.for([
  [{ name: 'Dev Patel', preferred_username: 'dev' }, 'Now signed in as Dev Patel'],
  [{ preferred_username: 'dev' }, 'Now signed in as dev'],
  [{}, 'Now signed in as somebody else'],
] as const)('another person is told by what is known of them, %j', async ([claims, text]) => {
  await openAs(person('eve'))
  await pollFinds(person('dev', claims))
  expect(screen.getByText(text)).toBeDefined()
  expect(screen.getByRole('button', { name: 'Reload' })).toBeDefined()
})

test('a role that is given or taken is told', async () => {
  await openAs(person('ada', {}, 'Passport.Admin'))
  await pollFinds(person('ada'))
  expect(screen.getByText('Your access changed')).toBeDefined()
  expect(screen.getByRole('button', { name: 'Reload' })).toBeDefined()
})
