import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Sparkline } from './Sparkline.tsx'

const readLine = (series: (number | null)[]) => {
  const { container } = render(<Sparkline series={series} className="h-8" />)
  return container.querySelectorAll('path')[1]?.getAttribute('d')
}

test('draws from zero to the largest value', () => {
  expect(readLine([0, 5, 10])).toBe('M0.0 32.0L100.0 17.0L200.0 2.0')
})

test('has a gap for missing values, and a dot for a single one', () => {
  expect(readLine([1, 1, null, 1, null, 1, 1])).toBe('M0.0 2.0L33.3 2.0M100.0 2.0h0.01M166.7 2.0L200.0 2.0')
  expect(readLine([null, null])).toBe('')
})

test('is an image only with a label', () => {
  const { container } = render(<Sparkline series={[1]} label="Latency in 24 hours" className="h-8" />)
  expect(screen.getByRole('img', { name: 'Latency in 24 hours' })).toBe(container.firstElementChild)
})
