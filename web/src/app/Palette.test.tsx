import type { CurrentUser } from '@passport/contract/current-user'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { act, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Palette } from './Palette.tsx'
import { recentPages, recentRecords, rememberPage } from './palette-recent.ts'
import { closePalette, openPalette, useIsPaletteOpen } from './palette-store.ts'
import { queryClient } from './query-client.ts'

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

/** What the server finds for which words; everything else it finds nothing for. */
const records: Record<string, { kind: string; id: string; name: string; detail: string | null }[]> = {
  priya: [{ kind: 'user', id: 'u/1', name: 'Priya Raman', detail: 'priya@x.example' }],
  group: [{ kind: 'group', id: 'g1', name: 'Group of ours', detail: null }],
}
const asked: { word: string; signal: AbortSignal }[] = []

beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
  queryClient.clear()
  asked.length = 0
  vi.stubGlobal('fetch', async (request: Request) => {
    const word = new URL(request.url).searchParams.get('query') ?? ''
    asked.push({ word, signal: request.signal })
    return Response.json(records[word] ?? [])
  })
})
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
  ['groups', ['Groups']],
  ['GROUPS', ['Groups']],
  ['relations', ['Tools']],
  ['domains', ['Organisations']],
  ['zzz', []],
] as const)('%s finds %j, by name or by what it is about', async ([text, labels]) => {
  await openAs(ada)
  await userEvent.type(search(), text)
  expect(found()).toEqual(labels)
  await waitFor(() => expect(screen.queryByText('Searching…')).toBeNull())
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

test('records are found by the server, asked once for what is typed in one go, and by nobody else', async () => {
  const here = await openAs(ada)
  await userEvent.type(search(), 'priya')
  await screen.findByRole('option', { name: /Priya Raman/ })
  expect(asked.map(({ word }) => word)).toEqual(['priya'])
  await userEvent.keyboard('{Enter}')
  expect(here()).toBe('/admin/users/u%2F1')
  expect(recentRecords('ada')).toEqual(records['priya'])
})

test('Enter before anything is found opens what then is', async () => {
  const here = await openAs(ada)
  await userEvent.type(search(), 'priya{Enter}')
  await waitFor(() => expect(here()).toBe('/admin/users/u%2F1'))
})

test('pages by name go before records, records that were opened lately before all', async () => {
  await openAs(ada)
  await userEvent.type(search(), 'group')
  await screen.findByRole('option', { name: /Group of ours/ })
  expect(found()).toEqual(['Groups', 'Group of ours'])
  await userEvent.click(screen.getByRole('option', { name: /Group of ours/ }))
  act(openPalette)
  expect(found()[0]).toBe('Group of ours')
})

test('what is not wanted any more is not waited for', async () => {
  vi.stubGlobal('fetch', (request: Request) => {
    asked.push({ word: new URL(request.url).searchParams.get('query') ?? '', signal: request.signal })
    return new Promise(() => {})
  })
  await openAs(ada)
  await userEvent.type(search(), 'an')
  await waitFor(() => expect(asked).toHaveLength(1))
  await userEvent.type(search(), 'a')
  await waitFor(() => expect(asked).toHaveLength(2))
  expect(asked.map(({ word, signal }) => [word, signal.aborted])).toEqual([
    ['an', true],
    ['ana', false],
  ])
})

test('those who are no administrators ask nothing', async () => {
  await openAs({ ...ada, roles: ['Passport.Developer'] })
  await userEvent.type(search(), 'priya')
  expect(await screen.findByText('No page has this in its name.')).toBeTruthy()
  expect(asked).toEqual([])
})
