import { render, screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Tabs } from './Tabs.tsx'

test('renders a labelled navigation landmark with its links', () => {
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
