import { fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { TimeChart } from './TimeChart.tsx'

const buckets = ['a', 'b', 'c', 'd'].map((at, index) => ({ at, succeeded: index * 10, failed: index }))

function renderChart() {
  const onSelect = vi.fn()
  render(
    <TimeChart
      name="Sign-ins over time"
      label="60 succeeded"
      buckets={buckets}
      format={String}
      height={80}
      onSelect={onSelect}
    />,
  )
  return onSelect
}

test('a chart is an image whose label is its conclusion, with totals in its legend', () => {
  renderChart()
  expect(screen.getByRole('img', { name: '60 succeeded' })).toBeDefined()
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(['Succeeded 60', 'Failed 6'])
})

test('dragging over bars selects their steps, in either direction', () => {
  const onSelect = renderChart()
  const chart = screen.getByRole('img')
  chart.getBoundingClientRect = () => ({ left: 0, width: 400 }) as DOMRect
  Object.assign(chart, { setPointerCapture: () => {} })
  fireEvent.pointerDown(chart, { button: 0, clientX: 350 })
  fireEvent.pointerMove(chart, { clientX: 150 })
  fireEvent.pointerUp(chart, { clientX: 120 })
  expect(onSelect).toHaveBeenCalledExactlyOnceWith(buckets[1], buckets[3])
})

test('sliders select a range by keyboard, and keep its ends in order', async () => {
  const onSelect = renderChart()
  await userEvent.click(screen.getByRole('button', { name: 'Choose range' }))
  const [from, to] = screen.getAllByRole('slider')
  expect(from?.getAttribute('aria-valuetext')).toBe('a')
  if (to) fireEvent.change(to, { target: { value: '1' } })
  if (from) fireEvent.change(from, { target: { value: '2' } })
  expect(screen.getAllByRole('slider').map((slider) => slider.getAttribute('aria-valuetext'))).toEqual(['c', 'c'])
  await userEvent.click(screen.getByRole('button', { name: 'Show range' }))
  expect(onSelect).toHaveBeenCalledExactlyOnceWith(buckets[2], buckets[2])
})

test('the table has the steps with sign-ins, newest first; each can be selected', async () => {
  const onSelect = renderChart()
  await userEvent.click(screen.getByText('Show as table'))
  const rows = screen.getAllByRole('row').slice(1)
  expect(rows.map(({ textContent }) => textContent)).toEqual(['d303', 'c202', 'b101'])
  await userEvent.click(screen.getByRole('button', { name: 'd' }))
  expect(onSelect).toHaveBeenCalledExactlyOnceWith(buckets[3], buckets[3])
})
