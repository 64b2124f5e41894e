import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Empty } from './Empty.tsx'

const drawn = (kind: Parameters<typeof Empty>[0]['kind']) => {
  const { container, unmount } = render(<Empty kind={kind} title="None" />)
  const paths = container.innerHTML
  unmount()
  return paths
}

test('says what is not there, and what can be done', () => {
  render(
    <Empty kind="no match" title="No preference matches">
      <button type="button">Clear filter</button>
    </Empty>,
  )
  expect(screen.getByText('No preference matches')).toBeDefined()
  expect(screen.getByRole('button', { name: 'Clear filter' })).toBeDefined()
})

test('nothing yet, no match and no permission are told apart by their seals, which are not read out', () => {
  const all = [drawn('nothing yet'), drawn('no match'), drawn('no permission')]
  expect(new Set(all).size).toBe(3)
  for (const html of all) expect(html).toContain('<svg viewBox="0 0 100 100" width="64" height="64" aria-hidden="true"')
})
