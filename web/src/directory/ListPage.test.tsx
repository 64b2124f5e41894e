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
import type { List } from './use-list.ts'

interface Crew {
  id: string
  name: string
  status: 'active' | 'disabled'
}
const crews: Crew[] = Array.from({ length: 60 }, (_, at) => ({
  id: `c${at}`,
  name: `Crew ${at}`,
  status: at % 2 ? 'active' : 'disabled',
}))
const filters = { status: ['active', 'disabled'] as const }
let asked: ListQuery<typeof filters, 'name'>

/** The list at an address; tells where one is. */
async function openAt(path: string, by: { list?: Partial<List<Crew>>; bulk?: BulkAction[] } = {}) {
  const Page = () => {
    const state = useListState({ filters, sorts: ['name'] })
    asked = state.query
    const found = crews.filter(
      ({ name, status }) => name.includes(state.word) && [undefined, status].includes(asked.status),
    )
    const { page, limit } = state
    const items = found.slice((page - 1) * limit, page * limit)
    const next = page * limit < found.length ? `/crews?limit=${limit}&page=${page + 1}&after=after${page}` : null
    const data = { items, page, limit, total: found.length, next }
    const list: List<Crew> = {
      data,
      error: null,
      isPending: false,
      isPlaceholderData: false,
      refetch: vi.fn(),
      ...by.list,
    }
    return (
      <ListPage
        name="crews"
        title="Crews"
        noun={['crew', 'crews']}
        state={state}
        list={list}
        columns={[
          { id: 'name', head: 'Name', sort: 'name', cell: ({ name }) => name },
          { id: 'status', head: 'Status', cell: ({ status }) => status },
          { id: 'id', head: 'Id', isOptional: true, cell: ({ id }) => id },
        ]}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        linkTo={({ id }) => ({ to: '/crews/$id' as never, params: { id } })}
        create={{ to: '/create' as never, label: 'Create crew' }}
        searchable="Name or id"
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
        bulk={by.bulk ?? []}
        nothingYet="Create the first one."
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
const press = (key: string, by: KeyboardEventInit = {}) =>
  act(async () => void fireEvent.keyDown(document.activeElement ?? document.body, { key, ...by }))
const boxOf = (name: string) => screen.getByRole<HTMLInputElement>('checkbox', { name })

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

describe('what stands in the address', () => {
  test('is what is asked for; what the list does not know is not', async () => {
    await openAt('/crews?q=123&status=active&sort=-name&page=2&after=x&limit=50')
    expect(asked).toEqual({ query: '123', status: 'active', sort: '-name', page: 2, after: 'x', limit: 50 })
  })

  test.for(['?status=odd&sort=age&page=0&limit=7', '?page=x&q=&status=', '?q=a&q=b&page=1&page=2', '?after=x'])(
    '%s is an ordinary first page',
    async (search) => {
      await openAt(`/crews${search}`)
      expect(asked).toEqual({ page: 1, limit: 25 })
    },
  )

  test('is replaced by what is typed, and goes back to the first page', async () => {
    const { here, history } = await openAt('/crews?page=2&after=x&status=active')
    await userEvent.type(screen.getByRole('searchbox', { name: 'Search crews' }), 'Crew 1')
    await waitFor(() => expect(here()).toBe('/crews?status=active&q=Crew%201'))
    expect(history.length).toBe(1)
  })

  test('grows by a filter, a page and an order, so that Back undoes each', async () => {
    const { here, history } = await openAt('/crews')
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Status' }), 'Active')
    await waitFor(() => expect(here()).toBe('/crews?status=active'))
    await userEvent.click(button('Next'))
    await waitFor(() => expect(here()).toBe('/crews?status=active&page=2&after=after1&limit=25'))
    await userEvent.click(button('Name'))
    await waitFor(() => expect(here()).toBe('/crews?status=active&limit=25&sort=name'))
    await userEvent.click(button('Name'))
    await waitFor(() => expect(here()).toBe('/crews?status=active&limit=25&sort=-name'))
    expect(screen.getByRole('columnheader', { name: /Name/ }).getAttribute('aria-sort')).toBe('descending')
    for (const _ of [1, 2, 3, 4]) act(() => history.back())
    await waitFor(() => expect(here()).toBe('/crews'))
  })
})

test('a page tells which rows it has, and Previous leads to the one before', async () => {
  const { here } = await openAt('/crews')
  expect(screen.getByText('1–25 of 60')).toBeDefined()
  expect(button('Previous').disabled).toBe(true)
  await userEvent.click(button('Next'))
  await screen.findByText('26–50 of 60')
  await userEvent.click(button('Next'))
  await screen.findByText('51–60 of 60')
  expect(button('Next').disabled).toBe(true)
  await userEvent.click(button('Previous'))
  await waitFor(() => expect(here()).toBe('/crews?page=2&after=after1&limit=25'))
  await userEvent.click(button('Previous'))
  await waitFor(() => expect(here()).toBe('/crews?limit=25'))
})

test('the size of a page is remembered', async () => {
  const { here } = await openAt('/crews')
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Rows on a page' }), '50 a page')
  await waitFor(() => expect(here()).toBe('/crews?limit=50'))
  document.body.replaceChildren()
  await openAt('/crews')
  expect(asked.limit).toBe(50)
})

test('each filter has a chip that takes it away, and one button takes all', async () => {
  const { here } = await openAt('/crews?q=Crew&status=active')
  await userEvent.click(button('Clear Status: Active'))
  await waitFor(() => expect(here()).toBe('/crews?q=Crew'))
  await userEvent.click(button('Clear filters'))
  await waitFor(() => expect(here()).toBe('/crews'))
  expect(screen.queryByRole('list', { name: 'Filters' })).toBeNull()
})

describe('a list without rows', () => {
  const none = { items: [], page: 1, limit: 25, total: 0, next: null }

  test('says that there is nothing yet, and what to do', async () => {
    await openAt('/crews', { list: { data: none } })
    expect(screen.getByText('There are no crews yet')).toBeDefined()
    expect(screen.getByText('Create the first one.')).toBeDefined()
  })

  test('says that nothing matches, and clears the filters', async () => {
    const { here } = await openAt('/crews?q=zzz')
    expect(screen.getByText('No crews match')).toBeDefined()
    await userEvent.click(screen.getAllByRole('button', { name: 'Clear filters' })[1] as HTMLElement)
    await waitFor(() => expect(here()).toBe('/crews'))
  })

  test('says that one may not see it', async () => {
    const error = new ApiError(new Response(null, { status: 403 }), '', {})
    await openAt('/crews', { list: { data: undefined, error } })
    expect(screen.getByText('You may not see these crews')).toBeDefined()
  })

  test('says that it could not be loaded, and tries again', async () => {
    const refetch = vi.fn()
    await openAt('/crews', { list: { data: undefined, error: new Error(), refetch } })
    expect(screen.getByRole('alert').textContent).toContain('No connection')
    await userEvent.click(button('Try again'))
    expect(refetch).toHaveBeenCalledOnce()
  })

  test('leads from a page that is not there any more to the first', async () => {
    const { here } = await openAt('/crews?page=9')
    await userEvent.click(button('First page'))
    await waitFor(() => expect(here()).toBe('/crews'))
  })

  test('has rows of the same measure while it loads', async () => {
    await openAt('/crews', { list: { data: undefined, isPending: true } })
    expect(screen.getByRole('table').getAttribute('aria-busy')).toBe('true')
    expect(screen.getByText('Loading crews')).toBeDefined()
  })
})

test('columns and density are chosen, kept as a preference, and there again', async () => {
  await openAt('/crews')
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
  test('goes from row to row, to the search, and to create', async () => {
    const { here } = await openAt('/crews')
    await press('j')
    await press('j')
    expect(document.activeElement?.textContent).toBe('Crew 1')
    await press('k')
    expect(document.activeElement?.textContent).toBe('Crew 0')
    await press('/')
    expect(document.activeElement).toBe(screen.getByRole('searchbox'))
    await press('c')
    expect(here()).toBe('/crews')
    act(() => (document.activeElement as HTMLElement).blur())
    await press('c')
    await waitFor(() => expect(here()).toBe('/create'))
  })

  test('is left alone after g, with a modifier, and where single keys are off', async () => {
    const { here } = await openAt('/crews')
    await press('g')
    await press('c')
    await press('c', { metaKey: true })
    localStorage.setItem('passport.shortcuts', 'off')
    await press('c')
    expect(here()).toBe('/crews')
  })
})

describe('chosen rows', () => {
  const disable = (run: BulkAction['run']): BulkAction[] => [
    { label: 'Disable', said: (count) => `${count} crews disabled`, run },
  ]
  const bar = () => screen.queryByRole('toolbar', { name: 'Bulk actions' })

  test('are chosen by x, by a box, by a range, by the page, and all that match', async () => {
    await openAt('/crews', { bulk: disable(async () => undefined) })
    expect(bar()).toBeNull()
    await press('j')
    await press('x')
    await waitFor(() => expect(bar()?.textContent).toContain('1 crew selected'))
    const user = userEvent.setup()
    await user.click(boxOf('Select Crew 2'))
    await user.keyboard('{Shift>}')
    await user.click(boxOf('Select Crew 5'))
    await user.keyboard('{/Shift}')
    expect(bar()?.textContent).toContain('5 crews selected')
    await user.click(boxOf('Select all on this page'))
    expect(bar()?.textContent).toContain('25 crews selected')
    await user.click(button('Select all 60 crews matching'))
    expect(bar()?.textContent).toContain('60 crews selected')
    await user.click(boxOf('Select Crew 0'))
    expect(bar()?.textContent).toContain('24 crews selected')
    await user.click(button('Clear'))
    expect(bar()).toBeNull()
  })

  test('stay from page to page, and not under another word', async () => {
    const { history } = await openAt('/crews', { bulk: disable(async () => undefined) })
    await userEvent.click(boxOf('Select Crew 2'))
    await userEvent.click(button('Next'))
    await screen.findByText('26–50 of 60')
    await userEvent.click(boxOf('Select Crew 30'))
    expect(bar()?.textContent).toContain('2 crews selected')
    act(() => history.push('/crews?q=Crew'))
    await waitFor(() => expect(bar()).toBeNull())
  })

  test('are handled by one call; what failed is told with why, and tried again alone', async () => {
    const run = vi.fn<BulkAction['run']>(async () => ({ done: 1, failed: [{ id: 'c3', why: 'The last one.' }] }))
    await openAt('/crews', { bulk: disable(run) })
    await userEvent.click(boxOf('Select Crew 2'))
    await userEvent.click(boxOf('Select Crew 3'))
    await userEvent.click(button('Disable'))
    const report = await screen.findByText('The last one.')
    expect(run.mock.calls).toEqual([[{ ids: ['c2', 'c3'] }]])
    expect(within(report.closest('li') as HTMLElement).getByText('Crew 3')).toBeDefined()
    expect(bar()).toBeNull()
    run.mockResolvedValueOnce({ done: 1, failed: [] })
    await userEvent.click(button('Try the failed again'))
    expect(run.mock.lastCall).toEqual([{ ids: ['c3'] }])
    await waitFor(() => expect(screen.queryByText('The last one.')).toBeNull())
  })

  describe('by a finger that rests on one', () => {
    beforeEach(() => void vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] }))
    afterEach(() => void vi.useRealTimers())
    const link = () => screen.getByRole('link', { name: 'Crew 3' })
    const rest = (milliseconds: number) => act(async () => void vi.advanceTimersByTime(milliseconds))

    test('it is chosen, and not opened', async () => {
      const { here } = await openAt('/crews', { bulk: disable(vi.fn()) })
      fireEvent.pointerDown(link(), { pointerType: 'touch' })
      await rest(600)
      fireEvent.pointerUp(link(), { pointerType: 'touch' })
      fireEvent.click(link())
      expect(boxOf('Select Crew 3').checked).toBe(true)
      expect(bar()?.textContent).toContain('1 crew selected')
      expect(here()).toBe('/crews')
    })

    test.for([
      ['that only taps', 'pointerUp', { clientX: 0 }],
      ['that moves on', 'pointerMove', { clientX: 40 }],
      ['that scrolls', 'pointerCancel', { clientX: 0 }],
    ] as const)('one %s chooses nothing', async ([, event, where]) => {
      await openAt('/crews', { bulk: disable(vi.fn()) })
      fireEvent.pointerDown(link(), { pointerType: 'touch', clientX: 0, clientY: 0 })
      fireEvent[event](link(), { pointerType: 'touch', clientY: 0, ...where })
      await rest(600)
      expect(bar()).toBeNull()
    })
  })

  test('stay chosen where the action was called off or failed', async () => {
    const run = vi
      .fn<BulkAction['run']>()
      .mockResolvedValueOnce(undefined)
      .mockRejectedValueOnce(new Error('no network'))
    await openAt('/crews', { bulk: disable(run) })
    await userEvent.click(boxOf('Select Crew 2'))
    for (const _ of [1, 2]) await userEvent.click(button('Disable'))
    expect(bar()?.textContent).toContain('1 crew selected')
  })
})

test('rows are links to their pages', async () => {
  await openAt('/crews')
  expect(rows()).toHaveLength(25)
  expect(screen.getByRole('link', { name: 'Crew 3' }).getAttribute('href')).toBe('/crews/c3')
})
