import type { CurrentUser } from '@passport/contract/current-user'
import { notifyManager, QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { currentUserQuery } from './current-user.ts'
import { setPageUser } from './page-user.ts'
import { queryClient } from './query-client.ts'
import { SessionBar } from './SessionBar.tsx'
import { parseSearch, stringifySearch } from './search.ts'

const createUser = (sub: string, claims: { name?: string; preferred_username?: string } = {}, ...roles: string[]) => ({
  claims: { sub, idp: 'local', idp_name: 'Passport', auth_time: 1, ...claims },
  roles,
  orgs: [],
})
notifyManager.setScheduler(queueMicrotask)
const setCurrentUser = (user: CurrentUser | null) =>
  act(async () => void queryClient.setQueryData(currentUserQuery.queryKey, user))

/** Renders the bar on a page opened by `user`. */
async function renderAs(user: CurrentUser | null) {
  queryClient.setQueryData(currentUserQuery.queryKey, user)
  setPageUser(user)
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
  setPageUser(null)
  queryClient.clear()
})

test('is hidden without a change, and when a signed-out visitor signs in', async () => {
  await renderAs(null)
  await setCurrentUser(createUser('eve'))
  expect(screen.queryByRole('alert')).toBeNull()
})

test('reports a sign-out with a link back to this page, until the user is signed in again', async () => {
  await renderAs(createUser('eve'))
  expect(screen.queryByRole('alert')).toBeNull()
  await setCurrentUser(null)
  expect(screen.getByRole('alert').textContent).toContain("You've been signed out.")
  expect(screen.getByRole('link', { name: 'Sign in again' }).getAttribute('href')).toBe(
    `/login?returnUrl=${encodeURIComponent('/app/?q=a%20b#part')}`,
  )
  await setCurrentUser(createUser('eve'))
  expect(screen.queryByRole('alert')).toBeNull()
})

test.for([
  [{ name: 'Dev Patel', preferred_username: 'dev' }, 'Now signed in as Dev Patel'],
  [{ preferred_username: 'dev' }, 'Now signed in as dev'],
  [{}, 'Now signed in as another user'],
] as const)('names another signed-in user by the known claims %j', async ([claims, text]) => {
  await renderAs(createUser('eve'))
  await setCurrentUser(createUser('dev', claims))
  expect(screen.getByText(text)).toBeDefined()
  expect(screen.getByRole('button', { name: 'Reload' })).toBeDefined()
})

test('reports a granted or revoked role', async () => {
  await renderAs(createUser('ada', {}, 'Passport.Admin'))
  await setCurrentUser(createUser('ada'))
  expect(screen.getByText('Your access changed')).toBeDefined()
  expect(screen.getByRole('button', { name: 'Reload' })).toBeDefined()
})
