import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { StatusStrip } from './StatusStrip.tsx'

test('a strip is an image whose marks differ by height too, with the time of each', () => {
  const cells = ([null, 'ok', 'slow', 'down'] as const).map((state, index) => ({
    key: String(index),
    state,
    title: `1${index}:00`,
  }))
  const { container } = render(<StatusStrip label="Email: down once" cells={cells} />)
  expect(screen.getByRole('img', { name: 'Email: down once' })).toBeDefined()
  const marks = [...container.querySelectorAll('g')].map((cell) => [
    cell.querySelector('title')?.textContent,
    cell.querySelectorAll('rect')[1]?.getAttribute('height'),
  ])
  expect(marks).toEqual([
    ['10:00', '2'],
    ['11:00', '14'],
    ['12:00', '19'],
    ['13:00', '24'],
  ])
})
