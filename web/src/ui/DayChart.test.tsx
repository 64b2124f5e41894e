import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { DayChart } from './DayChart.tsx'

const days = [
  { day: '2026-11-20', count: 1200, failed: 0 },
  { day: '2026-11-21', count: 30, failed: 5 },
]
const props = {
  name: 'Sign-ins per day',
  label: '1,230 sign-ins, 5 failed',
  names: { count: 'Succeeded', failed: 'Failed' },
  days,
  height: 60,
}
const readRows = () => screen.getAllByRole('row').map(({ textContent }) => textContent)

test('a chart is an image whose label is its conclusion, with totals in its legend', () => {
  render(<DayChart {...props} />)
  expect(screen.getByRole('img', { name: '1,230 sign-ins, 5 failed' })).toBeDefined()
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(['Succeeded 1,230', 'Failed 5'])
})

test('the bars of a day are true to scale: failures have no height of their own', () => {
  const { container } = render(
    <DayChart {...props} days={[{ day: '2026-11-19', count: 3900, failed: 100 }, ...days]} />,
  )
  const heights = [...container.querySelectorAll('g')].map((bar) =>
    [...bar.querySelectorAll('rect')].slice(1).map((part) => Number(part.getAttribute('height'))),
  )
  expect(heights).toEqual([
    [57.5, 1.5],
    [18, 0],
    [0, 1],
  ])
})

test('the table of a chart has the numbers of each day, newest first', async () => {
  render(<DayChart {...props} />)
  await userEvent.click(screen.getByText('Show as table'))
  await screen.findByRole('table', { name: 'Sign-ins per day' })
  expect(readRows()).toEqual(['DaySucceededFailed', '21 Nov305', '20 Nov1,2000'])
})

test('the table of a chart with days to pick has a button for each day', async () => {
  const onPick = vi.fn()
  render(<DayChart {...props} onPick={onPick} />)
  await userEvent.click(screen.getByText('Show as table'))
  const table = await screen.findByRole('table')
  await userEvent.click(within(table).getByRole('button', { name: '20 Nov 2026' }))
  expect(onPick).toHaveBeenCalledExactlyOnceWith('2026-11-20')
})
