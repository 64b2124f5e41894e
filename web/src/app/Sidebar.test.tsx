import type { CurrentUser } from '@passport/contract/current-user'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { Sidebar } from './Sidebar.tsx'

const ada: CurrentUser = {
  claims: { sub: '0192f0c1-7e57', idp: 'local', idp_name: 'Passport', name: 'Ada Lovelace', auth_time: 1 },
  roles: ['Passport.Admin', 'Passport.Developer'],
  orgs: [],
}

async function show({ path = '/', user = ada, isOpen = false, onClose = vi.fn() } = {}) {
  const bar = <Sidebar user={user} isOpen={isOpen} onClose={onClose} />
  const router = createRouter({
    routeTree: createRootRoute({ component: () => bar, notFoundComponent: () => bar }),
    history: createMemoryHistory({ initialEntries: [`/app${path}`] }),
    basepath: '/app',
    trailingSlash: 'preserve',
  })
  render(<RouterProvider router={router as never} />)
  return screen.findByRole('navigation', { name: 'Main' })
}

test.for([
  ['/admin/users', ['Users']],
  ['/admin/users?q=ada#list', ['Users']],
  ['/admin/users/create', ['Users']],
  ['/admin/users/some-id', ['Users']],
  ['/admin/usersx', []],
  ['/admin/orgs/createentra', ['Organisations']],
  ['/admin/tools/permissions', ['Schema']],
  ['/admin/tools/permissions/check?subject=user:ada', ['Permission checker']],
  ['/admin/tools/permissions/lookupResources', ['Lookup']],
  ['/admin/tools/permissions/lookupSubjects', ['Lookup']],
  ['/admin/tools/relations', ['Relation viewer']],
  ['/admin/identity/apis/some-id', ['Identity APIs']],
  ['/admin/entitlements/0199/ledger', ['Entitlements']],
  ['/admin/health', ['Health']],
  ['/developer/', ['Overview']],
  ['/developer/?q=1', ['Overview']],
  ['/developer/preferences', ['User preferences']],
  ['/account/preferences', []],
  ['/', ['Home']],
] as const)('at %s, marks %j', async ([path, labels]) => {
  await show({ path })
  const marked = screen.getAllByRole('link').filter((link) => link.getAttribute('aria-current') === 'page')
  expect(marked.map(({ textContent }) => textContent).filter((label) => label !== 'Stage Passport')).toEqual(labels)
})

test("shows the sections of the user's roles", async () => {
  await show({ user: { ...ada, roles: ['Passport.Developer'] } })
  expect(screen.getAllByRole('heading').map(({ textContent }) => textContent)).toEqual(['Developer'])
})

test('shows an administrator the directory, the permissions and the system', async () => {
  await show({ user: { ...ada, roles: ['Passport.Admin'] } })
  const labels = screen.getAllByRole('link').map(({ textContent }) => textContent)
  expect(labels).toEqual([
    'Stage Passport',
    'Home',
    ...['Users', 'Groups', 'Organisations', 'Roles'],
    ...['Schema', 'Permission checker', 'Lookup', 'Relation viewer'],
    ...['Applications', 'Identity APIs', 'Tenant discovery'],
    ...['Entitlements', 'Products', 'Subscriptions'],
    ...['Health', 'Audit', 'Content', 'Branding', 'Allowed origins', 'Mail', 'Trash'],
  ])
})

test('as a drawer, closes by a click beside it', async () => {
  const onClose = vi.fn()
  await show({ isOpen: true, onClose })
  await userEvent.click(screen.getByRole('button', { name: 'Close navigation' }))
  expect(onClose).toHaveBeenCalledOnce()
})

test('a closed drawer is invisible and has nothing to close', async () => {
  const navigation = await show()
  expect(screen.queryByRole('button', { name: 'Close navigation' })).toBeNull()
  expect(navigation.classList).toContain('max-nav:invisible')
})
