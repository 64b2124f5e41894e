import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { OwnReach } from './OwnReach.tsx'
import { network, refusal, showAt } from './test-room.tsx'

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

test('one’s own permissions come with one call, and more of one where one asks', async () => {
  const sent = network({
    [`${own}/permissions`]: () => ({
      items: [
        permission('project', [has('a'), has('b')], '/x?type=project&permission=use&after=c1'),
        permission('passport/org', [has('o1', 'Contoso')]),
      ],
      next: null,
    }),
    [`${own}/resources`]: () => ({ items: [has('c')], limit: 50, next: null }),
  })
  showAt('/', OwnReach)
  const projects = await screen.findByRole('region', { name: 'project · use' })
  expect(within(projects).getByText('2+')).toBeTruthy()
  expect(screen.getByText('Contoso')).toBeTruthy()
  expect(sent).toHaveLength(1)
  await userEvent.click(within(projects).getByRole('button', { name: 'Show more' }))
  await within(projects).findByText('project:c')
  expect(within(projects).getAllByRole('listitem')).toHaveLength(3)
  expect(sent.map(({ call, query }) => [call, query])).toEqual([
    [`${own}/permissions`, {}],
    [`${own}/resources`, { type: 'project', permission: 'use', after: 'c1' }],
  ])
})

test('a path is told on demand, by names where there are any', async () => {
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
  const sent = network({
    [`${own}/permissions`]: () => ({ items: [permission('project', [has('a')])], next: null }),
    [`${own}/path`]: () => ({ permissionship: 'hasPermission', partialCaveatMissing: [], chains: [chain, [everyone]] }),
  })
  showAt('/', OwnReach)
  await userEvent.click(await screen.findByRole('button', { name: 'Why project:a' }))
  await screen.findByText('Ada')
  const [first, second] = screen.getAllByRole('list').slice(-2)
  expect(first?.textContent).toBe('Adamember of Keeperslead of project:a under in_hours')
  expect(second?.textContent).toBe('Everyoneguest of project:a')
  expect(sent.at(-1)?.query).toEqual({ type: 'project', permission: 'use', id: 'a' })
  // Whoever speaks to the page says what stands on the button.
  await userEvent.click(screen.getByRole('button', { name: 'Hide why project:a', expanded: true }))
  expect(screen.queryByText('Ada')).toBeNull()
})

test('where there are none it says so; where there was no time to look at all, there is more to be asked for', async () => {
  let pages = 0
  network({
    [`${own}/permissions`]: () => (pages++ === 0 ? { items: [], next: '/x?after=p1' } : { items: [], next: null }),
  })
  showAt('/', OwnReach)
  const more = await screen.findByRole('button', { name: 'More permissions' })
  expect(screen.queryByText('No permissions')).toBeNull()
  await userEvent.click(more)
  await screen.findByText('No permissions')
})

test('what could not be worked out is told in its place, and can be tried again', async () => {
  let isMended = false
  network({
    [`${own}/permissions`]: () => ({
      items: [
        permission('project', [has('a')], '/x?after=c1'),
        isMended
          ? permission('crew', [has('all')])
          : { ...permission('crew', []), error: { code: 'depth-exceeded', message: 'It goes too deep.' } },
      ],
      next: null,
    }),
    [`${own}/resources`]: () => refusal(409, 'too-much-work', 'It is too much.'),
  })
  showAt('/', OwnReach)
  const crews = within(await screen.findByRole('region', { name: 'crew · use' }))
  expect(crews.getByRole('alert').textContent).toContain('It goes too deep.')
  const projects = within(screen.getByRole('region', { name: 'project · use' }))
  await userEvent.click(projects.getByRole('button', { name: 'Show more' }))
  expect((await projects.findByRole('alert')).textContent).toContain('It is too much.')
  expect(projects.getByText('project:a')).toBeTruthy()
  isMended = true
  await userEvent.click(crews.getByRole('button', { name: 'Try again' }))
  await waitFor(() => expect(screen.getByText('crew:all')).toBeTruthy())
})

test('a failure of all of it can be tried again', async () => {
  let isDown = true
  network({
    [`${own}/permissions`]: () =>
      isDown ? refusal(400, 'odd', 'That went wrong.') : { items: [permission('project', [has('a')])], next: null },
  })
  showAt('/', OwnReach)
  expect((await screen.findByRole('alert')).textContent).toContain('That went wrong.')
  isDown = false
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  await screen.findByText('project:a')
})
