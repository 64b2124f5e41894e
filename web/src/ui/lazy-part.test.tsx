import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { Suspense } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { lazyPage, lazyPart } from './lazy-part.tsx'
import { registerUnsavedChanges } from './unsaved-changes.ts'

const reload = vi.spyOn(location, 'reload').mockImplementation(() => {})
const Text = () => <p>The part</p>
const failure = new TypeError('Failed to fetch dynamically imported module: http://localhost/app/assets/Part-1.js')
const answer = (status?: number) =>
  vi.stubGlobal('fetch', () =>
    status === undefined ? Promise.reject(new TypeError('offline')) : Promise.resolve(new Response(null, { status })),
  )

/** A module whose import fails until `isServed`. */
function createModule() {
  const module = { isServed: false, load: vi.fn() }
  module.load.mockImplementation(async () => {
    if (!module.isServed) throw failure
    return Text
  })
  return module
}
const show = (Part: React.ComponentType) =>
  act(async () => void render(<Suspense fallback="Loading">{<Part />}</Suspense>))

beforeEach(() => {
  sessionStorage.clear()
  reload.mockClear()
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('a failed part shows an error in its place, and loads with “Try again”', async () => {
  answer()
  const module = createModule()
  await show(lazyPart(module.load))
  expect(screen.getByRole('alert').textContent).toContain("Couldn't load this part of the page")
  module.isServed = true
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByText('The part')).toBeDefined()
  expect(reload).not.toHaveBeenCalled()
})

test('a failed preload reports nothing and is repeated when the page is opened', async () => {
  answer(404)
  const module = createModule()
  const Page = lazyPage(module.load)
  await Page.preload()
  expect(reload).not.toHaveBeenCalled()
  module.isServed = true
  await Page.preload()
  await show(Page)
  expect(screen.getByText('The part')).toBeDefined()
})

test('an opened page whose file was removed by an update reloads once', async () => {
  answer(404)
  await show(lazyPage(createModule().load))
  await waitFor(() => expect(reload).toHaveBeenCalledOnce())
  expect(screen.queryByRole('alert')).toBeNull()
  cleanup()
  await show(lazyPage(createModule().load))
  expect(await screen.findByRole('alert')).toBeDefined()
  expect(reload).toHaveBeenCalledOnce()
})

test.for([['no answer'], ['a server that cannot answer now', 503]] as const)(
  'an opened page does not reload after %s',
  async ([, status]) => {
    answer(status)
    await show(lazyPage(createModule().load))
    expect((await screen.findByRole('alert')).textContent).toContain("Couldn't load this page")
    expect(reload).not.toHaveBeenCalled()
  },
)

test('never reloads with unsaved changes, even when asked', async () => {
  answer(404)
  const remove = registerUnsavedChanges(() => true)
  await show(lazyPage(createModule().load))
  fireEvent.click(await screen.findByRole('button', { name: 'Try again' }))
  expect(await screen.findByText('Save or discard your changes, then reload the page.')).toBeDefined()
  expect(reload).not.toHaveBeenCalled()
  remove()
})

test('“Try again” reloads when the server has the file, but the browser remembers the failure', async () => {
  answer()
  await show(lazyPage(createModule().load))
  await screen.findByRole('alert')
  answer(200)
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  await waitFor(() => expect(reload).toHaveBeenCalledOnce())
})
