import { ApiError } from '@passport/contract/call'
import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { queryClient } from '../app/query-client.ts'
import { parseSearch, stringifySearch } from '../app/search.ts'
import type { BulkAction } from './bulk.tsx'
import { ListPage } from './ListPage.tsx'
import { type ListQuery, useListState } from './list-state.ts'
import type { ListResult } from './use-list.ts'

interface Crew {
  id: string
  name: string
  status: 'active' | 'disabled'
}
const crews: Crew[] = Array.from({ length: 60 }, (_, index) => ({
  id: `c${index}`,
  name: `Crew ${index}`,
  status: index % 2 ? 'active' : 'disabled',
}))
const filters = { status: ['active', 'disabled'] as const }
let lastQuery: ListQuery<typeof filters, 'name'>

/** Renders the list at a URL; returns functions for the current location. */
async function renderAt(path: string, overrides: { list?: Partial<ListResult<Crew>>; bulk?: BulkAction[] } = {}) {
  const Page = () => {
    const state = useListState({ filters, sorts: ['name'] })
    lastQuery = state.query
    const matches = crews.filter(
      ({ name, status }) => name.includes(state.searchText) && [undefined, status].includes(lastQuery.status),
    )
    const { page, limit } = state
    const items = matches.slice((page - 1) * limit, page * limit)
    const next = page * limit < matches.length ? `/crews?limit=${limit}&page=${page + 1}&after=after${page}` : null
    const data = { items, page, limit, total: matches.length, next }
    const list: ListResult<Crew> = {
      data,
      error: null,
      isPending: false,
      isPlaceholderData: false,
      refetch: vi.fn(),
      ...overrides.list,
    }
    return (
      <ListPage
        name="crews"
        title="Crews"
        noun={['crew', 'crews']}
        state={state}
        list={list}
        columns={[
          { id: 'name', header: 'Name', sort: 'name', cell: ({ name }) => name },
          { id: 'status', header: 'Status', cell: ({ status }) => status },
          { id: 'id', header: 'Id', isOptional: true, cell: ({ id }) => id },
        ]}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        linkTo={({ id }) => ({ to: '/crews/$id' as never, params: { id } })}
        create={{ to: '/create' as never, label: 'Create crew' }}
        searchPlaceholder="Name or id"
        filters={[
          {
            name: 'status',
            label: 'Status',
            options: [
              { value: 'active', label: 'Active' },
              { value: 'disabled', label: 'Disabled' },
            ],
          },
        ]}
        bulk={overrides.bulk ?? []}
        emptyHint="Create the first one."
      />
    )
  }
  const history = createMemoryHistory({ initialEntries: [path] })
  const root = createRootRoute()
  const page = createRoute({ getParentRoute: () => root, path: '/$', component: Page })
  const router = createRouter({
    routeTree: root.addChildren([page]),
    history,
    parseSearch,
    stringifySearch,
  })
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  )
  await screen.findByRole('heading', { level: 1, name: 'Crews' })
  return { history, here: () => `${history.location.pathname}${history.location.search}` }
}
const rows = () => [...document.querySelectorAll('[data-row]')].map(({ textContent }) => textContent)
const button = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>('button', { name })
const pressKey = (key: string, overrides: KeyboardEventInit = {}) =>
  act(async () => void fireEvent.keyDown(document.activeElement ?? document.body, { key, ...overrides }))
const findCheckbox = (name: string) => screen.getByRole<HTMLInputElement>('checkbox', { name })

beforeEach(() => {
  localStorage.clear()
  vi.stubGlobal(
    'fetch',
    vi.fn(async () => new Response('[]', { headers: { 'content-type': 'application/json' } })),
  )
})
afterEach(() => {
  queryClient.clear()
  vi.unstubAllGlobals()
})

describe('the URL', () => {
  test('determines the request; unknown values are ignored', async () => {
    await renderAt('/crews?q=123&status=active&sort=-name&page=2&after=x&limit=50')
    expect(lastQuery).toEqual({ query: '123', status: 'active', sort: '-name', page: 2, after: 'x', limit: 50 })
  })

  test.for(['?status=odd&sort=age&page=0&limit=7', '?page=x&q=&status=', '?q=a&q=b&page=1&page=2', '?after=x'])(
    '%s is the default first page',
    async (search) => {
      await renderAt(`/crews${search}`)
      expect(lastQuery).toEqual({ page: 1, limit: 25 })
    },
  )

  test('is replaced while typing, and returns to the first page', async () => {
    const { here: currentUrl, history } = await renderAt('/crews?page=2&after=x&status=active')
    await userEvent.type(screen.getByRole('searchbox', { name: 'Search crews' }), 'Crew 1')
    await waitFor(() => expect(currentUrl()).toBe('/crews?status=active&q=Crew%201'))
    expect(history.length).toBe(1)
  })

  test('gets a history entry for each filter, page and order, so that Back undoes them', async () => {
    const { here: currentUrl, history } = await renderAt('/crews')
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Status' }), 'Active')
    await waitFor(() => expect(currentUrl()).toBe('/crews?status=active'))
    await userEvent.click(button('Next'))
    await waitFor(() => expect(currentUrl()).toBe('/crews?status=active&page=2&after=after1&limit=25'))
    await userEvent.click(button('Name'))
    await waitFor(() => expect(currentUrl()).toBe('/crews?status=active&limit=25&sort=name'))
    await userEvent.click(button('Name'))
    await waitFor(() => expect(currentUrl()).toBe('/crews?status=active&limit=25&sort=-name'))
    expect(screen.getByRole('columnheader', { name: /Name/ }).getAttribute('aria-sort')).toBe('descending')
    for (const _ of [1, 2, 3, 4]) act(() => history.back())
    await waitFor(() => expect(currentUrl()).toBe('/crews'))
  })
})

test('shows the range of rows, and Previous returns to the page before', async () => {
  const { here: currentUrl } = await renderAt('/crews')
  expect(screen.getByText('1–25 of 60')).toBeDefined()
  expect(button('Previous').disabled).toBe(true)
  await userEvent.click(button('Next'))
  await screen.findByText('26–50 of 60')
  await userEvent.click(button('Next'))
  await screen.findByText('51–60 of 60')
  expect(button('Next').disabled).toBe(true)
  await userEvent.click(button('Previous'))
  await waitFor(() => expect(currentUrl()).toBe('/crews?page=2&after=after1&limit=25'))
  await userEvent.click(button('Previous'))
  await waitFor(() => expect(currentUrl()).toBe('/crews?limit=25'))
})

test('remembers the page size', async () => {
  const { here: currentUrl } = await renderAt('/crews')
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Rows per page' }), '50 per page')
  await waitFor(() => expect(currentUrl()).toBe('/crews?limit=50'))
  document.body.replaceChildren()
  await renderAt('/crews')
  expect(lastQuery.limit).toBe(50)
})

test('each filter has a chip that removes it, and one button removes all', async () => {
  const { here: currentUrl } = await renderAt('/crews?q=Crew&status=active')
  await userEvent.click(button('Clear Status: Active'))
  await waitFor(() => expect(currentUrl()).toBe('/crews?q=Crew'))
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Status' }), 'Disabled')
  await waitFor(() => expect(currentUrl()).toBe('/crews?q=Crew&status=disabled'))
  await userEvent.click(button('Clear filters'))
  await waitFor(() => expect(currentUrl()).toBe('/crews'))
})

test('a search alone adds nothing above the table', async () => {
  await renderAt('/crews?q=Crew')
  expect(screen.queryByRole('button', { name: /^Clear/ })).toBeNull()
})

test('the dialog of narrow screens has the filters, the order, the columns and the selection of rows', async () => {
  const { here: currentUrl } = await renderAt('/crews', { bulk: [{ label: 'Go', doneMessage: String, run: vi.fn() }] })
  await userEvent.click(button('Filters'))
  const sheet = within(await screen.findByRole('dialog', { name: 'Filters' }))
  await userEvent.selectOptions(sheet.getByRole('combobox', { name: 'Status' }), 'Active')
  await userEvent.selectOptions(sheet.getByRole('combobox', { name: 'Sort by' }), 'Name ↓')
  await waitFor(() => expect(currentUrl()).toBe('/crews?status=active&sort=-name'))
  await userEvent.click(sheet.getByRole('checkbox', { name: 'Select rows' }))
  await userEvent.click(sheet.getByRole('button', { name: 'Show results' }))
  expect(screen.queryByRole('dialog', { name: 'Filters' })).toBeNull()
  expect(button('Filters (1)')).toBeDefined()
  await userEvent.click(button('Done'))
  expect(screen.queryByRole('button', { name: 'Done' })).toBeNull()
})

describe('a list whose refresh failed', () => {
  test('keeps its rows below a line with the reason and a retry', async () => {
    const refetch = vi.fn()
    await renderAt('/crews', { list: { error: new TypeError('Failed to fetch'), refetch } })
    expect(screen.getByRole('alert').textContent).toContain("Couldn't load crews.")
    expect(rows()).toHaveLength(25)
    await userEvent.click(button('Try again'))
    expect(refetch).toHaveBeenCalledOnce()
  })

  test('does not repeat what the session bar says', async () => {
    const problem = { code: 'not-signed-in', traceId: '0af7651916cd' }
    const error = new ApiError(new Response(null, { status: 401 }), '', problem)
    await renderAt('/crews', { list: { error } })
    expect(screen.queryByRole('alert')).toBeNull()
    expect(rows()).toHaveLength(25)
  })
})

describe('a list without rows', () => {
  const none = { items: [], page: 1, limit: 25, total: 0, next: null }

  test('reports that nothing exists yet, with a suggestion', async () => {
    await renderAt('/crews', { list: { data: none } })
    expect(screen.getByText('No crews yet')).toBeDefined()
    expect(screen.getByText('Create the first one.')).toBeDefined()
    // In the place of the rows, not in the header as well.
    expect(screen.getByRole('link', { name: 'Create crew' }).getAttribute('href')).toBe('/create')
  })

  test('reports that nothing matches, and clears the filters', async () => {
    const { here: currentUrl } = await renderAt('/crews?q=zzz')
    expect(screen.getByText('No crews match this search')).toBeDefined()
    const links = screen.getAllByRole('link', { name: 'Create crew' })
    expect(links.map((link) => link.getAttribute('href'))).toEqual(['/create', '/create?name=zzz'])
    await userEvent.click(button('Clear search'))
    await waitFor(() => expect(currentUrl()).toBe('/crews'))
  })

  test('reports missing permission', async () => {
    const error = new ApiError(new Response(null, { status: 403 }), '', {})
    await renderAt('/crews', { list: { data: undefined, error } })
    expect(screen.getByText("You don't have access to crews")).toBeDefined()
  })

  test('reports a failure and retries', async () => {
    const refetch = vi.fn()
    await renderAt('/crews', { list: { data: undefined, error: new Error(), refetch } })
    expect(screen.getByRole('alert').textContent).toContain('No connection')
    await userEvent.click(button('Try again'))
    expect(refetch).toHaveBeenCalledOnce()
  })

  test('links from a missing page to the first one', async () => {
    const { here: currentUrl } = await renderAt('/crews?page=9')
    await userEvent.click(button('Back to first page'))
    await waitFor(() => expect(currentUrl()).toBe('/crews'))
  })

  test('has placeholder rows while loading', async () => {
    await renderAt('/crews', { list: { data: undefined, isPending: true } })
    expect(screen.getByRole('table').getAttribute('aria-busy')).toBe('true')
    expect(screen.getByText('Loading crews')).toBeDefined()
  })
})

test('columns and density are saved as a preference and restored', async () => {
  await renderAt('/crews')
  expect(screen.queryByRole('columnheader', { name: 'Id' })).toBeNull()
  fireEvent.click(screen.getByLabelText('Id', { selector: 'input' }))
  await screen.findByRole('columnheader', { name: 'Id' })
  fireEvent.click(screen.getByLabelText('compact'))
  const puts = vi
    .mocked(fetch)
    .mock.calls.map(([request]) => request as Request)
    .filter(({ method }) => method === 'PUT')
  expect(puts.map(({ url }) => new URL(url).pathname)).toContain('/passport/preferences/me/Passport.Table.crews')
  expect(await puts.at(-1)?.text()).toBe('{"columns":["name","status","id"],"density":"compact"}')
})

describe('the keyboard', () => {
  test('moves between rows, to the search, and to create', async () => {
    const { here: currentUrl } = await renderAt('/crews')
    await pressKey('j')
    await pressKey('j')
    expect(document.activeElement?.textContent).toBe('Crew 1')
    await pressKey('k')
    expect(document.activeElement?.textContent).toBe('Crew 0')
    await pressKey('/')
    expect(document.activeElement).toBe(screen.getByRole('searchbox'))
    await pressKey('c')
    expect(currentUrl()).toBe('/crews')
    act(() => (document.activeElement as HTMLElement).blur())
    await pressKey('c')
    await waitFor(() => expect(currentUrl()).toBe('/create'))
  })

  test('is ignored after g, with a modifier, and with single keys off', async () => {
    const { here: currentUrl } = await renderAt('/crews')
    await pressKey('g')
    await pressKey('c')
    await pressKey('c', { metaKey: true })
    localStorage.setItem('passport.shortcuts', 'off')
    await pressKey('c')
    expect(currentUrl()).toBe('/crews')
  })
})

describe('selected rows', () => {
  const disable = (run: BulkAction['run']): BulkAction[] => [
    { label: 'Disable', doneMessage: (count) => `${count} crews disabled`, run },
  ]
  const bar = () => screen.queryByRole('toolbar', { name: 'Bulk actions' })

  test('are selected with x, a checkbox, a range, the page, and all matches', async () => {
    await renderAt('/crews', { bulk: disable(async () => undefined) })
    expect(bar()).toBeNull()
    await pressKey('j')
    await pressKey('x')
    await waitFor(() => expect(bar()?.textContent).toContain('1 crew selected'))
    const user = userEvent.setup()
    await user.click(findCheckbox('Select Crew 2'))
    await user.keyboard('{Shift>}')
    await user.click(findCheckbox('Select Crew 5'))
    await user.keyboard('{/Shift}')
    expect(bar()?.textContent).toContain('5 crews selected')
    await user.click(findCheckbox('Select all on this page'))
    expect(bar()?.textContent).toContain('25 crews selected')
    await user.click(button('Select all 60 crews matching'))
    expect(bar()?.textContent).toContain('60 crews selected')
    await user.click(findCheckbox('Select Crew 0'))
    expect(bar()?.textContent).toContain('24 crews selected')
    await user.click(button('Clear'))
    expect(bar()).toBeNull()
  })

  test('persist across pages, but not across searches', async () => {
    const { history } = await renderAt('/crews', { bulk: disable(async () => undefined) })
    await userEvent.click(findCheckbox('Select Crew 2'))
    await userEvent.click(button('Next'))
    await screen.findByText('26–50 of 60')
    await userEvent.click(findCheckbox('Select Crew 30'))
    expect(bar()?.textContent).toContain('2 crews selected')
    act(() => history.push('/crews?q=Crew'))
    await waitFor(() => expect(bar()).toBeNull())
  })

  test('are processed in one call; failures are reported with reasons and retried separately', async () => {
    const run = vi.fn<BulkAction['run']>(async () => ({ done: 1, failed: [{ id: 'c3', reason: 'The last one.' }] }))
    await renderAt('/crews', { bulk: disable(run) })
    await userEvent.click(findCheckbox('Select Crew 2'))
    await userEvent.click(findCheckbox('Select Crew 3'))
    await userEvent.click(button('Disable'))
    const report = await screen.findByText('The last one.')
    expect(run.mock.calls.map(([selected]) => selected)).toEqual([{ ids: ['c2', 'c3'] }])
    expect(within(report.closest('li') as HTMLElement).getByText('Crew 3')).toBeDefined()
    expect(bar()).toBeNull()
    run.mockResolvedValueOnce({ done: 1, failed: [] })
    await userEvent.click(button('Retry failed'))
    expect(run.mock.lastCall?.[0]).toEqual({ ids: ['c3'] })
    await waitFor(() => expect(screen.queryByText('The last one.')).toBeNull())
  })

  test('show how far the work is, and stop it on Cancel', async () => {
    const run: BulkAction['run'] = async (_, { report, signal }) => {
      report({ text: 'Disabling 1 of 2…', done: 1, total: 2 })
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return { done: 1, unchanged: 3, cancelled: 1, failed: [] }
    }
    await renderAt('/crews', { bulk: disable(run) })
    await userEvent.click(findCheckbox('Select Crew 2'))
    await userEvent.click(button('Disable'))
    expect(await screen.findByText('Disabling 1 of 2…')).toBeDefined()
    expect(button('Disable').getAttribute('aria-busy')).toBe('true')
    expect(screen.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('1')
    await userEvent.click(button('Cancel'))
    expect(await screen.findByText('1 crews disabled, 3 skipped, 1 not reached')).toBeDefined()
    expect(bar()).toBeNull()
  })

  describe('with a long press', () => {
    beforeEach(() => void vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] }))
    afterEach(() => void vi.useRealTimers())
    const link = () => screen.getByRole('link', { name: 'Crew 3' })
    const wait = (milliseconds: number) => act(async () => void vi.advanceTimersByTime(milliseconds))

    test('selects the row without opening it', async () => {
      const { here: currentUrl } = await renderAt('/crews', { bulk: disable(vi.fn()) })
      fireEvent.pointerDown(link(), { pointerType: 'touch' })
      await wait(600)
      fireEvent.pointerUp(link(), { pointerType: 'touch' })
      fireEvent.click(link())
      expect(findCheckbox('Select Crew 3').checked).toBe(true)
      expect(bar()?.textContent).toContain('1 crew selected')
      expect(currentUrl()).toBe('/crews')
    })

    test.for([
      ['tap', 'pointerUp', { clientX: 0 }],
      ['moving finger', 'pointerMove', { clientX: 40 }],
      ['scrolling finger', 'pointerCancel', { clientX: 0 }],
    ] as const)('a %s selects nothing', async ([, event, where]) => {
      await renderAt('/crews', { bulk: disable(vi.fn()) })
      fireEvent.pointerDown(link(), { pointerType: 'touch', clientX: 0, clientY: 0 })
      fireEvent[event](link(), { pointerType: 'touch', clientY: 0, ...where })
      await wait(600)
      expect(bar()).toBeNull()
    })
  })

  test('stay selected after a cancelled or failed action', async () => {
    const run = vi
      .fn<BulkAction['run']>()
      .mockResolvedValueOnce(undefined)
      .mockRejectedValueOnce(new Error('no network'))
    await renderAt('/crews', { bulk: disable(run) })
    await userEvent.click(findCheckbox('Select Crew 2'))
    for (const _ of [1, 2]) await userEvent.click(button('Disable'))
    expect(bar()?.textContent).toContain('1 crew selected')
  })
})

test('rows link to their pages', async () => {
  await renderAt('/crews')
  expect(rows()).toHaveLength(25)
  expect(screen.getByRole('link', { name: 'Crew 3' }).getAttribute('href')).toBe('/crews/c3')
})
