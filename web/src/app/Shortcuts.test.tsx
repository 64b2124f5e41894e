import type { CurrentUser } from '@passport/contract/current-user'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { act, cleanup, fireEvent, render, renderHook, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { closePalette, useIsPaletteOpen } from './palette-store.ts'
import './role-pages.ts'
import { Shortcuts } from './Shortcuts.tsx'

const person = (...roles: string[]): CurrentUser => ({
  claims: { sub: 'someone', idp: 'local', auth_time: 1 },
  roles,
  orgs: [],
})

/** Somewhere in the app as this person; tells where they are. */
async function openAs(user: CurrentUser) {
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
const press = (key: string, by: KeyboardEventInit = {}, on: Element = document.body) =>
  act(async () => void fireEvent.keyDown(on, { key, ...by }))
const isPaletteOpen = () => renderHook(useIsPaletteOpen).result.current
const isListOpen = () => document.querySelector('dialog')?.open === true

beforeEach(() => localStorage.clear())
afterEach(() => act(closePalette))

describe('a pair of keys', () => {
  afterEach(() => void vi.useRealTimers())

  test.for([
    ['o', '/admin/orgs'],
    ['d', '/developer/'],
    ['a', '/account/logins'],
    ['p', '/account/preferences'],
    ['x', '/'],
  ] as const)('g and %s leads an admin who develops to %s', async ([key, path]) => {
    const here = await openAs(person('Passport.Admin', 'Passport.Developer'))
    await press('g')
    await press(key)
    expect(here()).toBe(path)
  })

  test('leads nobody where they have no role', async () => {
    const here = await openAs(person('Passport.Developer'))
    await press('g')
    await press('o')
    expect(here()).toBe('/')
    await press('g')
    await press('d')
    expect(here()).toBe('/developer/')
  })

  test('is one within 1.2 s, and none after', async () => {
    const here = await openAs(person())
    vi.useFakeTimers()
    await press('g')
    vi.advanceTimersByTime(1200)
    await press('a')
    expect(here()).toBe('/')
    await press('g')
    vi.advanceTimersByTime(1199)
    await press('a')
    expect(here()).toBe('/account/logins')
  })

  test('is none with another key between, in a field, with a modifier, or where single keys are off', async () => {
    const here = await openAs(person())
    await press('g')
    await press('x')
    await press('a')
    for (const modifier of ['metaKey', 'ctrlKey', 'altKey']) {
      await press('g', { [modifier]: true })
      await press('a', { [modifier]: true })
    }
    await press('g', {}, screen.getByLabelText('Name'))
    await press('a', {}, screen.getByLabelText('Name'))
    localStorage.setItem('passport.shortcuts', 'off')
    await press('g')
    await press('a')
    expect(here()).toBe('/')
  })
})

describe('the palette', () => {
  test.for([
    ['⌘K', 'k', { metaKey: true }],
    ['Ctrl K', 'k', { ctrlKey: true }],
    ['Ctrl Shift K', 'K', { ctrlKey: true, shiftKey: true }],
  ] as const)('opens with %s, also while one types and where single keys are off', async ([, key, by]) => {
    await openAs(person())
    localStorage.setItem('passport.shortcuts', 'off')
    await press(key, by, screen.getByLabelText('Name'))
    expect(isPaletteOpen()).toBe(true)
  })

  test('opens with / unless one types', async () => {
    await openAs(person())
    await press('/', {}, screen.getByLabelText('Name'))
    expect(isPaletteOpen()).toBe(false)
    await press('/')
    expect(isPaletteOpen()).toBe(true)
  })

  test('does not open any more once the keys are taken away', async () => {
    await openAs(person())
    cleanup()
    await press('/')
    expect(isPaletteOpen()).toBe(false)
  })
})

describe('the list of keys', () => {
  test('opens with ? and has those of the roles', async () => {
    await openAs(person('Passport.Developer'))
    expect(isListOpen()).toBe(false)
    await press('?')
    await waitFor(() => expect(isListOpen()).toBe(true))
    const pairs = screen.getAllByRole('term').map(({ textContent }) => textContent)
    expect(pairs).toEqual(['⌘K or Ctrl K', '/', 'j k', 'x', 'c', '?', 'g h', 'g a', 'g p', 'g d'])
  })

  test('turns single keys off, which is remembered, and on again', async () => {
    await openAs(person())
    await press('?')
    const isOn = await screen.findByLabelText<HTMLInputElement>('Single keys are on')
    expect(isOn.checked).toBe(true)
    fireEvent.click(isOn)
    expect(isOn.checked).toBe(false)
    await press('/')
    expect(isPaletteOpen()).toBe(false)
    fireEvent.click(isOn)
    await press('/')
    expect(isPaletteOpen()).toBe(true)
  })
})
