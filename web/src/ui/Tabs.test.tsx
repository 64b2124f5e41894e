import { render, screen, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { Tabs } from './Tabs.tsx'

afterEach(() => vi.restoreAllMocks())

test('tabs are a navigation by name, of links', () => {
  render(
    <Tabs label="Account">
      <a href="/app/account/logins" aria-current="page">
        Logins
      </a>
      <a href="/app/account/preferences">Preferences</a>
    </Tabs>,
  )
  const links = within(screen.getByRole('navigation', { name: 'Account' })).getAllByRole('link')
  expect(links.map(({ textContent }) => textContent)).toEqual(['Logins', 'Preferences'])
})

test('what is current is scrolled into the row, and left where somebody scrolls to afterwards', () => {
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(300)
  vi.spyOn(HTMLElement.prototype, 'offsetLeft', 'get').mockReturnValue(500)
  const tabs = (
    <Tabs label="Tools">
      <a href="/a">A</a>
      <a href="/b" aria-current="page">
        B
      </a>
    </Tabs>
  )
  const { rerender } = render(tabs)
  const row = screen.getByRole('navigation', { name: 'Tools' })
  expect(row.scrollLeft).toBe(350)
  row.scrollLeft = 0
  rerender(tabs)
  rerender(<Tabs label="Tools">{tabs.props.children}</Tabs>)
  expect(row.scrollLeft).toBe(0)
})
