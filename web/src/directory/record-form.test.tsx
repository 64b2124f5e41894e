import { ApiError } from '@passport/contract/call'
import {
  createBrowserHistory,
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  type RouterHistory,
  RouterProvider,
} from '@tanstack/react-router'
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { describe, expect, test, vi } from 'vitest'
import { Field } from '../ui/Field.tsx'
import { EditCard, RecordFormFrame } from './RecordFormFrame.tsx'
import { type Saved, toFieldErrors, useRecordForm } from './record-form.ts'

interface Group {
  name: string
  about: string
}
const createError = (status: number, code: string, errors: { field: string; message: string }[] = [], detail = 'No.') =>
  new ApiError(new Response(null, { status }), '', {
    code,
    detail,
    traceId: 't',
    errors: errors.map((error) => ({ ...error, code })),
  })

/** A record with a field that the form does not show. */
type Stored = Group & { isPublic: boolean }

/** Renders a page with the form, and another page that it links to. */
async function renderForm(
  overrides: {
    save?: (values: Group, options: { ifMatch?: string }, record: Stored) => Promise<unknown>
    theirs?: Saved<Group, Stored>
    record?: Stored
    history?: RouterHistory
  } = {},
) {
  const save = vi.fn(overrides.save ?? (async () => {}))
  const onSaved = vi.fn()
  let serve: (saved: Saved<Group, Stored>) => void = () => {}
  const { record: stored } = overrides
  const opened = { values: { name: 'Crew', about: '' }, version: 17, ...(stored && { record: stored }) }
  const Edit = () => {
    const [saved, setSaved] = useState<Saved<Group, Stored>>(opened)
    serve = setSaved
    const record = useRecordForm<Group, Stored>({
      saved,
      labels: { name: 'Name', about: 'About' },
      save,
      fieldByCode: { 'group-name-taken': 'name' },
      onSaved,
      ...(overrides.theirs && { reload: async () => overrides.theirs as Saved<Group, Stored> }),
    })
    return (
      <main>
        <Link to={'/list' as never}>List</Link>
        <RecordFormFrame record={record} recordLabel="this group">
          <Field label="Name" error={record.errorOf('name')} {...record.form.register('name')} />
          <Field label="About" error={record.errorOf('about')} {...record.form.register('about')} />
        </RecordFormFrame>
      </main>
    )
  }
  const root = createRootRoute()
  const routeTree = root.addChildren([
    createRoute({ getParentRoute: () => root, path: '/edit', component: Edit }),
    createRoute({ getParentRoute: () => root, path: '/list', component: () => <main>The list</main> }),
  ])
  const history = overrides.history ?? createMemoryHistory({ initialEntries: ['/edit'] })
  const router = createRouter({ routeTree, history })
  render(<RouterProvider router={router as never} />)
  await screen.findByLabelText('Name')
  return {
    save,
    onSaved,
    router,
    serve: (saved: Saved<Group, Stored>) => act(() => serve(saved)),
    here: () => history.location.pathname,
  }
}
const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label)
const button = (name: string) => screen.getByRole('button', { name })
const rename = async (name: string) => {
  await userEvent.clear(field('Name'))
  await userEvent.type(field('Name'), name)
}
const bar = () => screen.queryByRole('region', { name: 'Unsaved changes' })
const saveKey = () => act(async () => void fireEvent.keyDown(document.body, { key: 's', metaKey: true }))

test('discards or saves changes, with the button or ⌘S, against the opened version', async () => {
  const { save, onSaved } = await renderForm()
  expect(bar()).toBeNull()
  await rename('Night crew')
  await userEvent.click(button('Discard'))
  expect(field('Name').value).toBe('Crew')
  await saveKey()
  expect(save).not.toHaveBeenCalled()
  await rename('Late crew')
  await saveKey()
  expect(save.mock.calls).toEqual([[{ name: 'Late crew', about: '' }, { ifMatch: '"17"' }, undefined]])
  await waitFor(() => expect(bar()).toBeNull())
  expect(onSaved).toHaveBeenCalledOnce()
})

test('uses the version of the response for the next save', async () => {
  const { save } = await renderForm({ save: async () => ({ version: 18 }) })
  for (const name of ['One', 'Two']) {
    await rename(name)
    await userEvent.click(button('Save'))
    await waitFor(() => expect(bar()).toBeNull())
  }
  expect(save.mock.calls.map(([, options]) => options)).toEqual([{ ifMatch: '"17"' }, { ifMatch: '"18"' }])
})

test("follows the server's values while unchanged, and never overwrites typed ones", async () => {
  const { save, serve } = await renderForm()
  serve({ values: { name: 'Renamed', about: '' }, version: 18 })
  expect(field('Name').value).toBe('Renamed')
  await rename('Mine')
  serve({ values: { name: 'Theirs', about: '' }, version: 19 })
  expect(field('Name').value).toBe('Mine')
  await userEvent.click(button('Save'))
  expect(save.mock.lastCall?.[1]).toEqual({ ifMatch: '"18"' })
})

test('shows validation errors at their fields and focuses the first', async () => {
  await renderForm({
    save: async () => {
      throw createError(400, 'invalid', [
        { field: 'about', message: 'Too long.' },
        { field: 'name', message: 'Give it a name.' },
      ])
    },
  })
  await rename('x')
  await userEvent.click(button('Save'))
  await screen.findByText('Give it a name.')
  expect(screen.getByText('Too long.')).toBeDefined()
  expect(document.activeElement).toBe(field('Name'))
  expect(bar()).not.toBeNull()
})

test('shows a failure without a field above the bar', async () => {
  await renderForm({ save: async () => Promise.reject(createError(409, 'last-owner', [], 'It needs an owner.')) })
  await rename('x')
  await userEvent.click(button('Save'))
  expect((await screen.findByRole('alert')).textContent).toContain('It needs an owner.')
})

test.for([
  [
    createError(400, 'invalid', [{ field: 'roles[2]', message: 'Unknown.' }]),
    [{ field: 'roles', message: 'Unknown.' }],
  ],
  [createError(409, 'name-taken', [], 'It is taken.'), [{ field: 'name', message: 'It is taken.' }]],
  [createError(409, 'x', [{ field: 'body', message: 'Odd.' }]), []],
  [
    createError(400, 'x', [
      { field: 'roles', message: '1' },
      { field: 'name', message: '2' },
      { field: 'name', message: '3' },
    ]),
    [
      { field: 'name', message: '2' },
      { field: 'roles', message: '1' },
    ],
  ],
  [new Error('no network'), []],
] as const)('toFieldErrors maps %s to %j', ([error, faults]) => {
  expect(toFieldErrors(error, ['name', 'roles'], { 'name-taken': 'name' })).toEqual(faults)
})

test('compares both versions after a concurrent change, and saves the chosen values over theirs', async () => {
  const { save } = await renderForm({
    save: async (_, { ifMatch }) => {
      if (ifMatch === '"17"') throw createError(412, 'group-version-conflict')
    },
    theirs: { values: { name: 'Theirs', about: 'Ten to six' }, version: 23 },
  })
  await rename('Mine')
  await userEvent.click(button('Save'))
  await screen.findByRole('dialog', { name: 'Another user changed this group' })
  const checked = screen.getAllByRole<HTMLInputElement>('radio').filter((radio) => radio.checked)
  expect(checked.map((radio) => radio.closest('label')?.textContent)).toEqual(['Keep mineMine', 'Use theirsTen to six'])
  await userEvent.click(screen.getAllByRole('button', { name: 'Save' }).at(-1) as HTMLElement)
  await waitFor(() => expect(bar()).toBeNull())
  expect(save.mock.lastCall).toEqual([{ name: 'Mine', about: 'Ten to six' }, { ifMatch: '"23"' }, undefined])
})

describe('what the form does not show', () => {
  const record = { name: 'Crew', about: '', isPublic: true }

  test('is saved as it was in the version that is replaced, also after a concurrent change', async () => {
    const theirs = { ...record, isPublic: false }
    const { save } = await renderForm({
      record,
      save: async (_, { ifMatch }) => {
        if (ifMatch === '"17"') throw createError(412, 'group-version-conflict')
      },
      theirs: { values: { name: 'Crew', about: '' }, version: 23, record: theirs },
    })
    await rename('Mine')
    await userEvent.click(button('Save'))
    await screen.findByRole('dialog', { name: 'Another user changed this group' })
    await userEvent.click(screen.getAllByRole('button', { name: 'Save' }).at(-1) as HTMLElement)
    await waitFor(() => expect(bar()).toBeNull())
    expect(save.mock.calls.map(([, { ifMatch }, sent]) => [ifMatch, sent])).toEqual([
      ['"17"', record],
      ['"23"', theirs],
    ])
  })

  test('is that of the opened version while typed values are kept, and of the response after a save', async () => {
    const saved = { ...record, version: 19, isPublic: false }
    const { save, serve } = await renderForm({ record, save: async () => saved })
    await rename('Mine')
    serve({ values: { name: 'Crew', about: '' }, version: 18, record: { ...record, isPublic: false } })
    await userEvent.click(button('Save'))
    await waitFor(() => expect(bar()).toBeNull())
    await rename('Mine again')
    await userEvent.click(button('Save'))
    await waitFor(() => expect(save).toHaveBeenCalledTimes(2))
    expect(save.mock.calls.map(([, { ifMatch }, sent]) => [ifMatch, sent])).toEqual([
      ['"17"', record],
      ['"19"', saved],
    ])
  })
})

test('asks before leaving with changes, but not right after a save', async () => {
  const { here, onSaved, router } = await renderForm()
  await rename('Night crew')
  await userEvent.click(screen.getByRole('link', { name: 'List' }))
  await screen.findByText('Your unsaved changes will be lost.')
  expect(here()).toBe('/edit')
  await userEvent.click(button('Cancel'))
  onSaved.mockImplementation(() => void router.navigate({ to: '/list' as never }))
  await userEvent.click(button('Save'))
  await screen.findByText('The list')
})

test('asks before closing the window only with changes', async () => {
  // Only the browser history has a window to close.
  window.history.replaceState(null, '', '/edit')
  await renderForm({ history: createBrowserHistory() })
  const isPromptShown = () => {
    const event = new Event('beforeunload', { cancelable: true })
    dispatchEvent(event)
    return event.defaultPrevented
  }
  expect(isPromptShown()).toBe(false)
  await rename('Night crew')
  expect(isPromptShown()).toBe(true)
  await userEvent.click(button('Save'))
  await waitFor(() => expect(bar()).toBeNull())
  expect(isPromptShown()).toBe(false)
})

/** Renders the card of an opened form. */
async function renderCard(save: (values: { name: string }) => Promise<unknown> = async () => {}) {
  const onClose = vi.fn()
  const Edit = () => {
    const record = useRecordForm({ saved: { values: { name: 'Crew' }, version: 1 }, labels: { name: 'Name' }, save })
    return (
      <EditCard record={record} recordLabel="this group" title="Edit group" onClose={onClose}>
        <Field label="Name" error={record.errorOf('name')} {...record.form.register('name')} />
      </EditCard>
    )
  }
  const routeTree = createRootRoute({ component: Edit, notFoundComponent: Edit })
  const router = createRouter({ routeTree, history: createMemoryHistory({ initialEntries: ['/'] }) })
  render(<RouterProvider router={router as never} />)
  await screen.findByLabelText('Name')
  return { onClose }
}
const isDisabled = (name: string) => (button(name) as HTMLButtonElement).disabled

test('a card focuses its first field, and Cancel discards the changes and closes it', async () => {
  const { onClose } = await renderCard()
  expect(document.activeElement).toBe(field('Name'))
  expect(isDisabled('Save')).toBe(true)
  await rename('Night crew')
  expect(isDisabled('Save')).toBe(false)
  await userEvent.click(button('Cancel'))
  expect(field('Name').value).toBe('Crew')
  expect(onClose).toHaveBeenCalledOnce()
})

test('a card waits with saving until a refused field is corrected', async () => {
  await renderCard(async () => {
    throw createError(409, 'taken', [{ field: 'name', message: 'This name is taken.' }])
  })
  await rename('Night crew')
  await userEvent.click(button('Save'))
  await screen.findByText('This name is taken.')
  expect(isDisabled('Save')).toBe(true)
  await userEvent.type(field('Name'), ' 2')
  await waitFor(() => expect(isDisabled('Save')).toBe(false))
  expect(screen.queryByText('This name is taken.')).toBeNull()
})
