import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { OwnPermissions } from './OwnPermissions.tsx'
import { createProblem, mockNetwork, renderAt } from './test-network.tsx'

afterEach(() => vi.unstubAllGlobals())

const own = 'GET /passport/account/access'
const has = (id: string, name: string | null = null) => ({
  id,
  name,
  permissionship: 'hasPermission',
  partialCaveatMissing: [],
})
const permission = (type: string, items: unknown[], next: string | null = null) => ({
  type,
  permission: 'use',
  items,
  next,
})

test("loads the user's permissions in one request, and more resources of one on request", async () => {
  const sent = mockNetwork({
    [`${own}/permissions`]: () => ({
      items: [
        permission('project', [has('a'), has('b')], '/x?type=project&permission=use&after=c1'),
        permission('passport/org', [has('o1', 'Contoso')]),
      ],
      next: null,
    }),
    [`${own}/resources`]: () => ({ items: [has('c')], limit: 50, next: null }),
  })
  renderAt('/', OwnPermissions)
  const projects = await screen.findByRole('region', { name: 'Project' })
  expect(within(projects).getByRole('heading', { name: 'Project 2+' })).toBeTruthy()
  expect(screen.getByText('Contoso')).toBeTruthy()
  expect(sent).toHaveLength(1)
  await userEvent.click(within(projects).getByRole('button', { name: 'Show more' }))
  await within(projects).findByTitle('project:c')
  expect(within(projects).getAllByRole('rowheader')).toHaveLength(3)
  expect(sent.map(({ call, query }) => [call, query])).toEqual([
    [`${own}/permissions`, {}],
    [`${own}/resources`, { type: 'project', permission: 'use', after: 'c1' }],
  ])
})

test('shows the permissions on a resource in one row, up to the last id that all lists have reached', async () => {
  const sent = mockNetwork({
    [`${own}/permissions`]: () => ({
      items: [
        { ...permission('project', [has('a'), has('c')], '/x?after=c1'), permission: 'read' },
        { ...permission('project', [has('a'), has('b'), has('d')]), permission: 'write' },
      ],
      next: null,
    }),
    [`${own}/resources`]: () => ({ items: [has('d')], limit: 50, next: null }),
    [`${own}/path`]: () => ({ permissionship: 'hasPermission', partialCaveatMissing: [], chains: [] }),
  })
  renderAt('/', OwnPermissions)
  const readRows = () =>
    screen.getAllByRole('rowheader').map((row) => {
      const cells = within(row.parentElement as HTMLElement)
        .getAllByRole('button')
        .slice(0, -1)
      return [textOf(row), ...cells.map((cell) => cell.getAttribute('aria-label'))]
    })
  await screen.findByRole('heading', { name: 'Project 3+' })
  expect(readRows()).toEqual([
    ['a', 'Allowed: read, project:a', 'Allowed: write, project:a'],
    ['b', 'Allowed: write, project:b'],
    ['c', 'Allowed: read, project:c'],
  ])
  await userEvent.click(screen.getByRole('button', { name: 'Show more' }))
  await screen.findByRole('button', { name: 'Allowed: read, project:d' })
  expect(readRows().at(-1)).toEqual(['d', 'Allowed: read, project:d', 'Allowed: write, project:d'])
  await userEvent.click(screen.getByRole('button', { name: 'Allowed: write, project:b' }))
  await screen.findByText('No relationship needed')
  expect(sent.slice(1).map(({ call, query }) => [call, query])).toEqual([
    [`${own}/resources`, { type: 'project', permission: 'read', after: 'c1' }],
    [`${own}/path`, { type: 'project', permission: 'write', id: 'b' }],
  ])
})

/** The text without the initials of pictures. */
const textOf = (list: HTMLElement | undefined) => {
  for (const picture of list?.querySelectorAll('[aria-hidden]') ?? []) picture.remove()
  return list?.textContent
}

test('shows a path on request, with directory names', async () => {
  const crew = { type: 'passport/group', id: 'g1', name: 'Keepers' }
  const chain = [
    { subject: { type: 'passport/user', id: 'u1', name: 'Ada' }, relation: 'member', resource: crew },
    {
      subject: { ...crew, relation: 'member' },
      relation: 'lead',
      resource: { type: 'project', id: 'a', name: null },
      caveat: { name: 'in_hours' },
    },
  ]
  const everyone = {
    subject: { type: 'passport/user', id: '*', name: null },
    relation: 'guest',
    resource: { type: 'project', id: 'a', name: null },
  }
  const sent = mockNetwork({
    [`${own}/permissions`]: () => ({ items: [permission('project', [has('a')])], next: null }),
    [`${own}/path`]: () => ({ permissionship: 'hasPermission', partialCaveatMissing: [], chains: [chain, [everyone]] }),
  })
  renderAt('/', OwnPermissions)
  await userEvent.click(await screen.findByRole('button', { name: 'Why project:a' }))
  await screen.findByText('Ada')
  const [first, second] = screen.getAllByRole('list').slice(-2)
  expect(textOf(first)).toBe('Adamember of Keeperslead of a if in_hours')
  expect(textOf(second)).toBe('Everyoneguest of a')
  expect(sent.at(-1)?.query).toEqual({ type: 'project', permission: 'use', id: 'a' })
  // For voice control the accessible name begins with the visible label.
  await userEvent.click(screen.getByRole('button', { name: 'Hide why project:a', expanded: true }))
  expect(screen.queryByText('Ada')).toBeNull()
})

test('reports no permissions only after the last page', async () => {
  let pages = 0
  mockNetwork({
    [`${own}/permissions`]: () => (pages++ === 0 ? { items: [], next: '/x?after=p1' } : { items: [], next: null }),
  })
  renderAt('/', OwnPermissions)
  const more = await screen.findByRole('button', { name: 'Show more permissions' })
  expect(screen.queryByText('No permissions')).toBeNull()
  await userEvent.click(more)
  await screen.findByText('No permissions')
})

test('shows a failed permission in its place, with a retry', async () => {
  let isRestored = false
  mockNetwork({
    [`${own}/permissions`]: () => ({
      items: [
        permission('project', [has('a')], '/x?after=c1'),
        isRestored
          ? permission('crew', [has('all')])
          : { ...permission('crew', []), error: { code: 'depth-exceeded', message: 'It goes too deep.' } },
      ],
      next: null,
    }),
    [`${own}/resources`]: () => createProblem(409, 'too-much-work', 'It is too much.'),
  })
  renderAt('/', OwnPermissions)
  const crews = within(await screen.findByRole('region', { name: 'Crew' }))
  expect(crews.getByRole('alert').textContent).toContain('It goes too deep.')
  const projects = within(screen.getByRole('region', { name: 'Project' }))
  await userEvent.click(projects.getByRole('button', { name: 'Show more' }))
  expect((await projects.findByRole('alert')).textContent).toContain('It is too much.')
  expect(projects.getByTitle('project:a')).toBeTruthy()
  isRestored = true
  await userEvent.click(crews.getByRole('button', { name: 'Try again' }))
  await waitFor(() => expect(screen.getByTitle('crew:all')).toBeTruthy())
})

test('offers a retry if no permission can be loaded', async () => {
  let isDown = true
  mockNetwork({
    [`${own}/permissions`]: () =>
      isDown
        ? createProblem(400, 'odd', 'That went wrong.')
        : { items: [permission('project', [has('a')])], next: null },
  })
  renderAt('/', OwnPermissions)
  expect((await screen.findByRole('alert')).textContent).toContain('That went wrong.')
  isDown = false
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  await screen.findByTitle('project:a')
})
