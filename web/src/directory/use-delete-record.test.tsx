import { ApiError } from '@passport/contract/call'
import type { RoleEffect } from '@passport/contract/role-effect'
import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { currentUserQuery } from '../app/current-user.ts'
import { queryClient } from '../app/query-client.ts'
import { useDeleteRecord } from './use-delete-record.tsx'

const noEffect: RoleEffect = { gains: [], loses: [] }

afterEach(() => queryClient.clear())

interface Given {
  effect?: RoleEffect
  roles?: string[]
  kind?: 'group' | 'organisation' | 'role'
  failure?: Error
  /** The page on which the record is deleted. */
  path?: string
}

/** Renders the actions of “Night crew” and chooses Delete. */
async function chooseDelete({
  effect = noEffect,
  roles = ['Passport.Admin'],
  kind = 'group',
  failure,
  path = '/',
}: Given = {}) {
  const user = { claims: { sub: 'someone', idp: 'local', idp_name: 'Passport', auth_time: 1 }, roles, orgs: [] }
  queryClient.setQueryData(currentUserQuery.queryKey, user)
  const remove = vi.fn(async ({ preview }: { preview?: string }) => {
    if (preview) return effect
    if (failure) throw failure
    return undefined
  })
  const restore = vi.fn(async () => {})
  const Actions = () => {
    const { deleteItem, dialog } = useDeleteRecord()
    const record = {
      kind,
      name: 'Night crew',
      consequence: 'Members lose its roles.',
      list: '/list' as never,
      remove,
      ...(kind === 'group' && { restore }),
    }
    return (
      <>
        <button type="button" onClick={deleteItem(record).onSelect}>
          Delete
        </button>
        {dialog}
      </>
    )
  }
  const history = createMemoryHistory({ initialEntries: [path] })
  const routeTree = createRootRoute({ component: Actions, notFoundComponent: Actions })
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={createRouter({ routeTree, history }) as never} />
    </QueryClientProvider>,
  )
  await userEvent.click(await screen.findByRole('button', { name: 'Delete' }))
  const dialog = await screen.findByRole('alertdialog', { name: 'Delete Night crew?' })
  const confirm = async () => {
    await userEvent.type(within(dialog).getByLabelText('Type Night crew to confirm'), 'Night crew')
    await userEvent.click(within(dialog).getByRole('button', { name: `Delete ${kind}` }))
  }
  return { dialog, confirm, remove, restore, path: () => history.location.href }
}

test('deletes a record once its name is typed, returns to the list and restores it with Undo', async () => {
  const { confirm, remove, restore, path } = await chooseDelete()
  expect(remove.mock.calls).toEqual([[{ preview: 'true' }]])
  await confirm()
  const message = (await screen.findByText('Group deleted')).closest<HTMLElement>('.Toastify__toast')
  expect(path()).toBe('/list')
  expect(remove.mock.calls).toEqual([[{ preview: 'true' }], [{}]])
  await userEvent.click(within(message ?? document.body).getByRole('button', { name: 'Undo' }))
  expect(restore).toHaveBeenCalledOnce()
})

test('stays on the list, with its search, if the record is deleted there', async () => {
  const { confirm, path } = await chooseDelete({ kind: 'organisation', path: '/list?q=crew' })
  await confirm()
  await screen.findByText('Organisation deleted')
  expect(path()).toBe('/list?q=crew')
})

test('shows who loses which role, and for how long the record can be restored', async () => {
  const loses = [{ role: 'Crew.Lead', people: 2, sample: [{ id: '1', name: 'Ana' }] }]
  const { dialog } = await chooseDelete({ effect: { gains: [], loses } })
  expect(dialog.textContent).toContain('Members lose its roles. You can restore the group for 30 days.')
  expect(dialog.textContent).toContain('2 users lose Crew.Lead: Ana and 1 more')
})

test('names administrators as those who can restore the record for other users', async () => {
  const { dialog } = await chooseDelete({ roles: [] })
  expect(dialog.textContent).toContain('Administrators can restore the group for 30 days.')
})

test('warns if the record cannot be restored, and offers no Undo', async () => {
  const { dialog, confirm } = await chooseDelete({ kind: 'role' })
  expect(dialog.textContent).toContain("This can't be undone.")
  await confirm()
  const message = (await screen.findByText('Role deleted')).closest<HTMLElement>('.Toastify__toast')
  expect(within(message ?? document.body).queryByRole('button', { name: 'Undo' })).toBeNull()
})

test('stays on the page and reports a failure', async () => {
  const failure = new ApiError(new Response(null, { status: 409 }), '', {
    code: 'group-version-conflict',
    detail: 'The group has changed.',
    traceId: 't',
  })
  const { confirm, path } = await chooseDelete({ failure })
  await confirm()
  await waitFor(() => expect(screen.getByText("Couldn't delete the group: The group has changed.")).toBeDefined())
  expect(path()).toBe('/')
})
