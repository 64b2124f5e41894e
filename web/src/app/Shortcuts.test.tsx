import type { CurrentUser } from '@passport/contract/current-user'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { act, cleanup, fireEvent, render, renderHook, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { closeDialog, useOpenDialog } from './open-dialog.ts'
import { Shortcuts } from './Shortcuts.tsx'

const createUser = (...roles: string[]): CurrentUser => ({
  claims: { sub: 'someone', idp: 'local', idp_name: 'Passport', auth_time: 1 },
  roles,
  orgs: [],
})

/** Renders the app as this user; returns a function for the current path. */
async function renderAs(user: CurrentUser) {
  const page = () => (
    <main>
      <input aria-label="Name" />
      <Shortcuts user={user} />
    </main>
  )
  const history = createMemoryHistory({ initialEntries: ['/'] })
  const routeTree = createRootRoute({ component: page, notFoundComponent: page })
  render(<RouterProvider router={createRouter({ routeTree, history, trailingSlash: 'preserve' }) as never} />)
  await screen.findByRole('main')
  return () => history.location.pathname
}
const pressKey = (key: string, init: KeyboardEventInit = {}, target: Element = document.body) =>
  act(async () => void fireEvent.keyDown(target, { key, ...init }))
const isPaletteOpen = () => renderHook(useOpenDialog).result.current === 'palette'
const isListOpen = () => document.querySelector('dialog')?.open === true

beforeEach(() => localStorage.clear())
afterEach(() =>
  act(() => {
    closeDialog('palette')
    closeDialog('shortcuts')
  }),
)

describe('a two-key shortcut', () => {
  afterEach(() => void vi.useRealTimers())

  test.for([
    ['o', '/admin/orgs'],
    ['c', '/admin/tools/permissions/check'],
    ['e', '/admin/tools/tenantDiscovery'],
    ['i', '/admin/identity/clients'],
    ['n', '/admin/identity/apis'],
    ['d', '/developer/'],
    ['a', '/account/logins'],
    ['p', '/account/preferences'],
    ['q', '/'],
  ] as const)('g and %s navigates an administrator and developer to %s', async ([key, path]) => {
    const currentPath = await renderAs(createUser('Passport.Admin', 'Passport.Developer'))
    await pressKey('g')
    await pressKey(key)
    expect(currentPath()).toBe(path)
  })

  test('does not navigate to pages without the required role', async () => {
    const currentPath = await renderAs(createUser('Passport.Developer'))
    await pressKey('g')
    await pressKey('o')
    expect(currentPath()).toBe('/')
    await pressKey('g')
    await pressKey('d')
    expect(currentPath()).toBe('/developer/')
  })

  test('must be typed within 1.2 s', async () => {
    const currentPath = await renderAs(createUser())
    vi.useFakeTimers()
    await pressKey('g')
    vi.advanceTimersByTime(1200)
    await pressKey('a')
    expect(currentPath()).toBe('/')
    await pressKey('g')
    vi.advanceTimersByTime(1199)
    await pressKey('a')
    expect(currentPath()).toBe('/account/logins')
  })

  test('is ignored with another key in between, in a field, with a modifier, or with single keys off', async () => {
    const currentPath = await renderAs(createUser())
    await pressKey('g')
    await pressKey('x')
    await pressKey('a')
    for (const modifier of ['metaKey', 'ctrlKey', 'altKey']) {
      await pressKey('g', { [modifier]: true })
      await pressKey('a', { [modifier]: true })
    }
    await pressKey('g', {}, screen.getByLabelText('Name'))
    await pressKey('a', {}, screen.getByLabelText('Name'))
    localStorage.setItem('passport.shortcuts', 'off')
    await pressKey('g')
    await pressKey('a')
    expect(currentPath()).toBe('/')
  })
})

describe('the palette', () => {
  test.for([
    ['⌘K', 'k', { metaKey: true }],
    ['Ctrl K', 'k', { ctrlKey: true }],
    ['Ctrl Shift K', 'K', { ctrlKey: true, shiftKey: true }],
  ] as const)('opens with %s, even in a field and with single keys off', async ([, key, init]) => {
    await renderAs(createUser())
    localStorage.setItem('passport.shortcuts', 'off')
    await pressKey(key, init, screen.getByLabelText('Name'))
    expect(isPaletteOpen()).toBe(true)
  })

  test('opens with / except in a field', async () => {
    await renderAs(createUser())
    await pressKey('/', {}, screen.getByLabelText('Name'))
    expect(isPaletteOpen()).toBe(false)
    await pressKey('/')
    expect(isPaletteOpen()).toBe(true)
  })

  test('does not open after the shortcuts are unmounted', async () => {
    await renderAs(createUser())
    cleanup()
    await pressKey('/')
    expect(isPaletteOpen()).toBe(false)
  })
})

describe('the list of shortcuts', () => {
  const sections = () =>
    screen.getAllByRole('heading', { level: 3 }).map(({ textContent, nextElementSibling }) => {
      const keys = [...(nextElementSibling?.querySelectorAll('dt') ?? [])]
      return [textContent, keys.map((key) => [...key.querySelectorAll('kbd')].map((cap) => cap.textContent).join(' '))]
    })

  test('opens with ? and groups the keys by place', async () => {
    await renderAs(createUser('Passport.Developer'))
    expect(isListOpen()).toBe(false)
    await pressKey('?')
    expect(isListOpen()).toBe(true)
    await screen.findByRole('heading', { name: 'Anywhere' })
    expect(sections()).toEqual([
      ['Anywhere', ['Ctrl K /', '?', 'Esc']],
      ['In a list', ['/', 'j k', 'Enter']],
      ['In a form', ['Ctrl S']],
      ['Account', ['g h', 'g a', 'g p']],
      ['Developer', ['g d']],
    ])
  })

  test('has the keys of lists and graphs that only administrators have', async () => {
    await renderAs(createUser('Passport.Admin'))
    await pressKey('?')
    expect(isListOpen()).toBe(true)
    await screen.findByRole('heading', { name: 'Anywhere' })
    expect(sections().slice(1, 4)).toEqual([
      ['In a list', ['/', 'j k', 'Enter', 'x', 'c']],
      ['In a form', ['Ctrl S']],
      ['In the graph of relations', ['← → ↑ ↓', '+', 'Enter']],
    ])
  })

  test('turns single keys off persistently, and on again', async () => {
    await renderAs(createUser())
    await pressKey('?')
    const isOn = await screen.findByLabelText<HTMLInputElement>('Enable single-key shortcuts')
    expect(isOn.checked).toBe(true)
    fireEvent.click(isOn)
    expect(isOn.checked).toBe(false)
    await pressKey('/')
    expect(isPaletteOpen()).toBe(false)
    fireEvent.click(isOn)
    await pressKey('/')
    expect(isPaletteOpen()).toBe(true)
  })
})
