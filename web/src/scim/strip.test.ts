import { expect, test } from 'vitest'
import { createCells, listOfLastDay } from './strip.ts'

const now = Date.parse('2026-11-27T12:10:00.000Z')
const at = (minutesAgo: number, status = 200) => ({ at: new Date(now - minutesAgo * 60_000).toISOString(), status })

test('the last 24 hours have a cell for each half hour, red with a failed request', () => {
  const cells = createCells([at(0), at(5, 409), at(65), at(23 * 60 + 30), at(25 * 60)], now)
  expect(cells).toHaveLength(48)
  expect(cells.map(({ state }) => state).filter((state) => state !== null)).toEqual(['ok', 'ok', 'down'])
  expect(cells.at(-1)).toMatchObject({ state: 'down', title: expect.stringMatching(/^\d\d:00: 2 requests, 1 failed$/) })
  expect(cells[0]?.state).toBe('ok')
  expect(cells.at(-3)).toMatchObject({ state: 'ok', title: expect.stringMatching(/: 1 request$/) })
})

test('older requests are not of the last day', () => {
  expect(listOfLastDay([at(1), at(24 * 60)], now)).toHaveLength(1)
})
