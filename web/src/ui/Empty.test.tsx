import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Empty } from './Empty.tsx'

const renderPaths = (kind: Parameters<typeof Empty>[0]['kind']) => {
  const { container, unmount } = render(<Empty kind={kind} title="None" />)
  const paths = container.innerHTML
  unmount()
  return paths
}

test('shows what is missing and the possible action', () => {
  render(
    <Empty kind="no match" title="No preference matches">
      <button type="button">Clear filter</button>
    </Empty>,
  )
  expect(screen.getByText('No preference matches')).toBeDefined()
  expect(screen.getByRole('button', { name: 'Clear filter' })).toBeDefined()
})

test('draws a distinct picture for each kind, hidden from screen readers', () => {
  const all = [renderPaths('nothing yet'), renderPaths('no match'), renderPaths('no permission')]
  expect(new Set(all).size).toBe(3)
  for (const html of all) expect(html).toContain('aria-hidden="true"')
})
