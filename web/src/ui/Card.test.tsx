import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Card } from './Card.tsx'

test('a card is a region named by its heading', () => {
  render(
    <Card title="Sessions" description="Where you are signed in" action={<button type="button">End all</button>}>
      <p>One</p>
    </Card>,
  )
  const region = screen.getByRole('region', { name: 'Sessions' })
  expect(screen.getByRole('heading', { level: 2, name: 'Sessions' })).toBeDefined()
  for (const text of ['Where you are signed in', 'End all', 'One']) {
    expect(region.contains(screen.getByText(text))).toBe(true)
  }
})

test('two cards have distinct names', () => {
  render(
    <>
      <Card title="Sessions">a</Card>
      <Card title="Activity">b</Card>
    </>,
  )
  expect(screen.getByRole('region', { name: 'Sessions' }).textContent).toContain('a')
  expect(screen.getByRole('region', { name: 'Activity' }).textContent).toContain('b')
})
