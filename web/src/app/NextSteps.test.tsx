import type { CurrentUser } from '@passport/contract/current-user'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { NextSteps } from './NextSteps.tsx'

const eve: CurrentUser = {
  claims: {
    sub: 'eve',
    idp: 'local',
    idp_name: 'Passport',
    auth_time: 1,
    name: 'Eve Moreau',
    email: 'eve@passport.example',
  },
  roles: ['Event.Host'],
  orgs: [{ id: 'o1', name: 'Northwind', role: 'member' }],
}

/** Renders the steps of a user with the given numbers of logins and sessions. */
async function renderSteps(loginCount: number, sessionCount: number, user: Partial<CurrentUser> = {}) {
  const component = () => (
    <main>
      <NextSteps user={{ ...eve, ...user }} loginCount={loginCount} sessionCount={sessionCount} />
    </main>
  )
  const router = createRouter({ routeTree: createRootRoute({ component }), history: createMemoryHistory() })
  render(<RouterProvider router={router as never} />)
  await screen.findByRole('main')
}

const listTexts = () => screen.queryAllByRole('listitem').map(({ textContent }) => textContent ?? '')

afterEach(() => {
  cleanup()
  localStorage.clear()
})

test('has one step for a user with a role, an organisation, two sign-in methods and one session', async () => {
  await renderSteps(2, 1)
  expect(listTexts()).toHaveLength(1)
  expect(screen.getByRole('link', { name: 'Enter code' }).getAttribute('href')).toBe('/device')
})

test('names the other devices and the only sign-in method, and does not repeat a dismissed step', async () => {
  await renderSteps(1, 3)
  expect(listTexts().join()).toContain("You're signed in on 2 other devices.")
  expect(listTexts().join()).toContain('You have one sign-in method.')
  await userEvent.click(screen.getByRole('button', { name: 'Dismiss “Check your devices”' }))
  expect(listTexts().join()).not.toContain('other devices')
  cleanup()
  await renderSteps(1, 3)
  expect(listTexts()).toHaveLength(2)
  for (const button of screen.getAllByRole('button', { name: /^Dismiss/ })) await userEvent.click(button)
  expect(screen.queryByText('Next steps')).toBeNull()
})

test('copies a request that names a user without a role', async () => {
  const user = userEvent.setup()
  await renderSteps(2, 1, { roles: [], orgs: [] })
  expect(screen.getByRole('link', { name: 'Create group' })).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Copy request' }))
  expect(await navigator.clipboard.readText()).toContain(
    'Eve Moreau a role in localhost:3000: eve@passport.example, ID eve',
  )
  await screen.findByRole('button', { name: 'Copied' })
})
