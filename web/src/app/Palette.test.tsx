import type { CurrentUser } from '@passport/contract/current-user'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { act, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Palette } from './Palette.tsx'
import { closePalette, openPalette, recentPages, rememberPage, useIsPaletteOpen } from './palette-store.ts'

const ada: CurrentUser = {
  claims: { sub: 'ada', idp: 'local', auth_time: 1 },
  roles: ['Passport.Admin'],
  orgs: [],
}

async function openAs(user: CurrentUser) {
  const Page = () => <main>{useIsPaletteOpen() && <Palette user={user} />}</main>
  const history = createMemoryHistory({ initialEntries: ['/'] })
  const routeTree = createRootRoute({ component: Page, notFoundComponent: Page })
  render(<RouterProvider router={createRouter({ routeTree, history }) as never} />)
  await screen.findByRole('main')
  act(openPalette)
  return () => history.location.pathname
}
const search = () => screen.getByRole('combobox', { name: 'Search or jump to' })
const found = () => screen.queryAllByRole('option').map((option) => option.querySelector('span')?.textContent)

beforeEach(() => localStorage.clear())
afterEach(() => act(closePalette))

test('without a word it has every page that one may open, in the order of the bars', async () => {
  await openAs({ ...ada, roles: [] })
  expect(found()).toEqual(['Home', 'Account', 'Preferences'])
})

test('the pages of the last jumps come first', async () => {
  for (const path of ['/admin/orgs', '/account/logins', '/developer/tokens']) rememberPage(path)
  await openAs(ada)
  expect(found().slice(0, 4)).toEqual(['Account', 'Organisations', 'Home', 'Preferences'])
})

test.for([
  ['group', ['Groups']],
  ['GROUP', ['Groups']],
  ['relations', ['Tools']],
  ['domains', ['Organisations']],
  ['zzz', []],
] as const)('%s finds %j, by name or by what it is about', async ([text, labels]) => {
  await openAs(ada)
  await userEvent.type(search(), text)
  expect(found()).toEqual(labels)
  expect(screen.queryByText('No page has this in its name.') !== null).toBe(labels.length === 0)
})

test('Enter jumps to the first that was found, closes, and remembers it', async () => {
  const here = await openAs(ada)
  await userEvent.type(search(), 'health{Enter}')
  expect(here()).toBe('/admin/health')
  expect(recentPages()).toEqual(['/admin/health'])
  expect(screen.queryByRole('combobox')).toBeNull()
})

test('an arrow chooses the next, and a click any', async () => {
  const here = await openAs(ada)
  await userEvent.type(search(), 'organisations{ArrowDown}{Enter}')
  expect(here()).toBe('/admin/entitlements')
  act(openPalette)
  await userEvent.click(screen.getByRole('option', { name: /Roles/ }))
  expect(here()).toBe('/admin/roles')
  expect(recentPages()).toEqual(['/admin/roles', '/admin/entitlements'])
})

test('Escape closes it, and nothing is remembered', async () => {
  const here = await openAs(ada)
  await userEvent.type(search(), 'health{Escape}')
  expect(screen.queryByRole('combobox')).toBeNull()
  expect(here()).toBe('/')
  expect(recentPages()).toEqual([])
})
