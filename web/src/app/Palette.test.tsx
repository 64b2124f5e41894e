import type { CurrentUser } from '@passport/contract/current-user'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { act, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Palette } from './Palette.tsx'
import { readRecentPages, readRecentRecords, rememberPage } from './palette-recent.ts'
import { closePalette, openPalette, useIsPaletteOpen } from './palette-store.ts'
import { queryClient } from './query-client.ts'

const ada: CurrentUser = {
  claims: { sub: 'ada', idp: 'local', auth_time: 1 },
  roles: ['Passport.Admin'],
  orgs: [],
}

async function renderAs(user: CurrentUser) {
  const Page = () => <main>{useIsPaletteOpen() && <Palette user={user} />}</main>
  const history = createMemoryHistory({ initialEntries: ['/'] })
  const routeTree = createRootRoute({ component: Page, notFoundComponent: Page })
  render(<RouterProvider router={createRouter({ routeTree, history }) as never} />)
  await screen.findByRole('main')
  act(openPalette)
  return () => history.location.pathname
}
const search = () => screen.getByRole('combobox', { name: 'Search or jump to' })
const optionLabels = () => screen.queryAllByRole('option').map((option) => option.querySelector('span')?.textContent)

/** The server's search results by word; any other word has none. */
const records: Record<string, { kind: string; id: string; name: string; detail: string | null }[]> = {
  priya: [{ kind: 'user', id: 'u/1', name: 'Priya Raman', detail: 'priya@x.example' }],
  group: [{ kind: 'group', id: 'g1', name: 'Group of ours', detail: null }],
}
const requests: { word: string; signal: AbortSignal }[] = []

beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
  queryClient.clear()
  requests.length = 0
  vi.stubGlobal('fetch', async (request: Request) => {
    const word = new URL(request.url).searchParams.get('query') ?? ''
    requests.push({ word, signal: request.signal })
    return Response.json(records[word] ?? [])
  })
})
afterEach(() => act(closePalette))

test('lists every page open to the user without a search, in the order of the bars', async () => {
  await renderAs({ ...ada, roles: [] })
  expect(optionLabels()).toEqual(['Home', 'Account', 'Preferences'])
})

test('lists recently visited pages first', async () => {
  for (const path of ['/admin/orgs', '/account/logins', '/developer/tokens']) rememberPage(path)
  await renderAs(ada)
  expect(optionLabels().slice(0, 4)).toEqual(['Account', 'Organisations', 'Home', 'Preferences'])
})

test.for([
  ['groups', ['Groups']],
  ['GROUPS', ['Groups']],
  ['relations', ['Tools']],
  ['domains', ['Organisations']],
  ['zzz', []],
] as const)('%s finds %j by name or description', async ([text, labels]) => {
  await renderAs(ada)
  await userEvent.type(search(), text)
  expect(optionLabels()).toEqual(labels)
  await waitFor(() => expect(screen.queryByText('Searching…')).toBeNull())
  expect(screen.queryByText(`No results for “${text}”`) !== null).toBe(labels.length === 0)
})

test('Enter opens the first match, closes the palette and remembers the page', async () => {
  const currentPath = await renderAs(ada)
  await userEvent.type(search(), 'health{Enter}')
  expect(currentPath()).toBe('/admin/health')
  expect(readRecentPages()).toEqual(['/admin/health'])
  expect(screen.queryByRole('combobox')).toBeNull()
})

test('arrow keys select the next match, and a click selects any', async () => {
  const currentPath = await renderAs(ada)
  await userEvent.type(search(), 'organisation{ArrowDown}{Enter}')
  expect(currentPath()).toBe('/admin/entitlements')
  act(openPalette)
  await userEvent.click(screen.getByRole('option', { name: /Roles/ }))
  expect(currentPath()).toBe('/admin/roles')
  expect(readRecentPages()).toEqual(['/admin/roles', '/admin/entitlements'])
})

test('Escape closes it and remembers nothing', async () => {
  const currentPath = await renderAs(ada)
  await userEvent.type(search(), 'health{Escape}')
  expect(screen.queryByRole('combobox')).toBeNull()
  expect(currentPath()).toBe('/')
  expect(readRecentPages()).toEqual([])
})

test('searches records on the server once per burst of typing', async () => {
  const currentPath = await renderAs(ada)
  await userEvent.type(search(), 'priya')
  await screen.findByRole('option', { name: /Priya Raman/ })
  expect(requests.map(({ word }) => word)).toEqual(['priya'])
  await userEvent.keyboard('{Enter}')
  expect(currentPath()).toBe('/admin/users/u%2F1')
  expect(readRecentRecords('ada')).toEqual(records['priya'])
})

test('Enter before the results arrive opens the first result', async () => {
  const currentPath = await renderAs(ada)
  await userEvent.type(search(), 'priya{Enter}')
  await waitFor(() => expect(currentPath()).toBe('/admin/users/u%2F1'))
})

test('ranks pages by name before records, and recent records before all', async () => {
  await renderAs(ada)
  await userEvent.type(search(), 'group')
  await screen.findByRole('option', { name: /Group of ours/ })
  expect(optionLabels()).toEqual(['Groups', 'Group of ours'])
  await userEvent.click(screen.getByRole('option', { name: /Group of ours/ }))
  act(openPalette)
  expect(optionLabels()[0]).toBe('Group of ours')
})

test('aborts outdated searches', async () => {
  vi.stubGlobal('fetch', (request: Request) => {
    requests.push({ word: new URL(request.url).searchParams.get('query') ?? '', signal: request.signal })
    return new Promise(() => {})
  })
  await renderAs(ada)
  await userEvent.type(search(), 'an')
  await waitFor(() => expect(requests).toHaveLength(1))
  await userEvent.type(search(), 'a')
  await waitFor(() => expect(requests).toHaveLength(2))
  expect(requests.map(({ word, signal }) => [word, signal.aborted])).toEqual([
    ['an', true],
    ['ana', false],
  ])
})

test('users without the administrator role send no searches', async () => {
  await renderAs({ ...ada, roles: ['Passport.Developer'] })
  await userEvent.type(search(), 'priya')
  expect(await screen.findByText('No results for “priya”')).toBeTruthy()
  expect(requests).toEqual([])
})
