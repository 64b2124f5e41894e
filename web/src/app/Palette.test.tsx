import type { CurrentUser } from '@passport/contract/current-user'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { closeDialog, openPalette, useOpenDialog } from './open-dialog.ts'
import { Palette } from './Palette.tsx'
import { readRecentPages, readRecentRecords, rememberPage } from './palette-recent.ts'
import { queryClient } from './query-client.ts'
import { setTheme } from './theme.ts'

const ada: CurrentUser = {
  claims: { sub: 'ada', idp: 'local', idp_name: 'Passport', auth_time: 1 },
  roles: ['Passport.Admin'],
  orgs: [],
}

/** Renders an app of this user with the palette open; returns a function for the current path. */
async function renderAs(user: CurrentUser) {
  const Page = () => <main>{useOpenDialog() === 'palette' && <Palette user={user} />}</main>
  const history = createMemoryHistory({ initialEntries: ['/'] })
  const routeTree = createRootRoute({ component: Page, notFoundComponent: Page })
  render(<RouterProvider router={createRouter({ routeTree, history }) as never} />)
  await screen.findByRole('main')
  act(openPalette)
  return () => history.location.pathname
}
const search = () => screen.getByRole('combobox', { name: 'Search or run a command' })
const optionLabels = () =>
  screen.queryAllByRole('option').map((option) => option.querySelector('span > span')?.textContent)
const activeLabel = () => {
  const active = document.getElementById(search().getAttribute('aria-activedescendant') ?? '')
  return active?.querySelector('span > span')?.textContent
}
/** Types a text and waits for the list, which is loaded after the input. */
async function type(text: string) {
  await userEvent.type(search(), text)
  await screen.findByRole('listbox')
}

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
afterEach(() => act(() => closeDialog('palette')))

describe('the input', () => {
  test('has the focus before the list is loaded, and keeps text, arrows and Enter for the list', async () => {
    const currentPath = await renderAs(ada)
    const input = search()
    expect(document.activeElement).toBe(input)
    fireEvent.change(input, { target: { value: 'create' } })
    fireEvent.keyDown(input, { key: 'ArrowDown' })
    fireEvent.keyDown(input, { key: 'Enter' })
    // The code of the list is loaded only once in this file, by this test.
    expect(screen.queryByRole('listbox')).toBeNull()
    await waitFor(() => expect(currentPath()).toBe('/admin/groups/create'))
  })

  test('leaves the keys of an input method to it', async () => {
    const currentPath = await renderAs(ada)
    await screen.findByRole('listbox')
    fireEvent.keyDown(search(), { key: 'Enter', isComposing: true })
    expect(currentPath()).toBe('/')
    expect(search()).toBeDefined()
  })
})

describe('without a search', () => {
  test('lists the pages and commands of a user without a role', async () => {
    await renderAs({ ...ada, roles: [] })
    await screen.findByRole('listbox')
    const groups = screen.getAllByRole('group').map((group) => group.firstElementChild?.textContent)
    expect(groups).toEqual(['Go to', 'Actions', 'Guides'])
    expect(optionLabels().slice(0, 10)).toEqual([
      ...[
        'Home',
        'Sign-in and sessions',
        'Profile',
        'My access',
        'Your groups',
        'Preferences',
        'Your organisations',
        'Personal tokens',
      ],
      ...['Create group', 'Sign in a device'],
    ])
  })

  test('lists recently visited pages first, and only those that are still open to the user', async () => {
    for (const path of ['/admin/orgs', '/account/logins', '/developer/tokens', '/admin/former']) rememberPage(path)
    await renderAs(ada)
    await screen.findByRole('listbox')
    expect(optionLabels().slice(0, 4)).toEqual(['Sign-in and sessions', 'Organisations', 'Home', 'Profile'])
    expect(optionLabels().filter((label) => label === 'Organisations')).toHaveLength(1)
  })
})

test('reports that nothing matches', async () => {
  await renderAs(ada)
  await type('zzz')
  expect(await screen.findByText('No results for “zzz”')).toBeDefined()
  expect(optionLabels()).toEqual([])
})

test('Enter opens the first match, closes the palette and remembers the page', async () => {
  const currentPath = await renderAs(ada)
  await type('trash')
  await userEvent.keyboard('{Enter}')
  await waitFor(() => expect(currentPath()).toBe('/admin/trash'))
  expect(readRecentPages()).toEqual(['/admin/trash'])
  await waitFor(() => expect(screen.queryByRole('combobox')).toBeNull())
})

test('the arrows move the active option and wrap around; a click opens any', async () => {
  const currentPath = await renderAs(ada)
  await type('create')
  const labels = optionLabels()
  expect(labels).toEqual([
    ...['Create user', 'Create group', 'Create organisation', 'Create Entra organisation'],
    ...['Create application', 'Create API', 'Create entitlement', 'Create product', 'Create subscription'],
    'Create role',
  ])
  expect(activeLabel()).toBe('Create user')
  await userEvent.keyboard('{ArrowUp}')
  expect(activeLabel()).toBe('Create role')
  await userEvent.keyboard('{ArrowDown}{ArrowDown}')
  expect(activeLabel()).toBe('Create group')
  await userEvent.click(screen.getByRole('option', { name: /Create organisation/ }))
  expect(currentPath()).toBe('/admin/orgs/create')
})

test('another text makes the first option active again', async () => {
  await renderAs(ada)
  await type('create')
  await userEvent.keyboard('{ArrowDown}{ArrowDown}')
  await userEvent.type(search(), ' g')
  expect(activeLabel()).toBe('Create group')
})

test('Escape closes it and remembers nothing', async () => {
  const currentPath = await renderAs(ada)
  await type('trash')
  await userEvent.keyboard('{Escape}')
  expect(screen.queryByRole('combobox')).toBeNull()
  expect(currentPath()).toBe('/')
  expect(readRecentPages()).toEqual([])
})

test('runs a command in place', async () => {
  const currentPath = await renderAs(ada)
  await type('dark')
  await userEvent.keyboard('{Enter}')
  await waitFor(() => expect(document.documentElement.dataset['theme']).toBe('dark'))
  expect(currentPath()).toBe('/')
  expect(readRecentPages()).toEqual([])
  setTheme('system')
})

describe('records', () => {
  test('are searched on the server once per burst of typing', async () => {
    const currentPath = await renderAs(ada)
    await type('priya')
    await screen.findByRole('option', { name: /Priya Raman/ })
    expect(requests.map(({ word }) => word)).toEqual(['priya'])
    await userEvent.keyboard('{Enter}')
    expect(currentPath()).toBe('/admin/users/u%2F1')
    expect(readRecentRecords('ada')).toEqual(records['priya'])
  })

  test('are opened by Enter that was pressed before they arrive', async () => {
    const currentPath = await renderAs(ada)
    await userEvent.type(search(), 'priya{Enter}')
    await waitFor(() => expect(currentPath()).toBe('/admin/users/u%2F1'))
  })

  test('come after pages and commands, which do not move when they arrive; recent ones are listed without a search', async () => {
    await renderAs(ada)
    await type('group')
    const before = optionLabels()
    await screen.findByRole('option', { name: /Group of ours/ })
    expect(optionLabels()).toEqual([...before, 'Group of ours'])
    await userEvent.click(screen.getByRole('option', { name: /Group of ours/ }))
    await waitFor(() => expect(screen.queryByRole('combobox')).toBeNull())
    act(openPalette)
    await screen.findByRole('listbox')
    expect(optionLabels()[0]).toBe('Group of ours')
  })

  test('of an outdated search are aborted', async () => {
    vi.stubGlobal('fetch', (request: Request) => {
      requests.push({ word: new URL(request.url).searchParams.get('query') ?? '', signal: request.signal })
      return new Promise(() => {})
    })
    await renderAs(ada)
    await type('an')
    await waitFor(() => expect(requests).toHaveLength(1))
    await userEvent.type(search(), 'a')
    await waitFor(() => expect(requests).toHaveLength(2))
    expect(requests.map(({ word, signal }) => [word, signal.aborted])).toEqual([
      ['an', true],
      ['ana', false],
    ])
  })

  test('are not searched for users without the administrator role', async () => {
    await renderAs({ ...ada, roles: ['Passport.Developer'] })
    await type('priya')
    expect(await screen.findByText('No results for “priya”')).toBeTruthy()
    expect(requests).toEqual([])
  })
})
