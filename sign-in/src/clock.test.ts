import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createAlarm } from './clock.ts'

beforeEach(() => void vi.useFakeTimers({ now: 1_800_000_000_000 }))
afterEach(() => void vi.useRealTimers())

test.each([
  [60, 5000],
  [5, 5000],
  [4, 4000],
  [1, 1000],
  [0, 1000],
  [-7, 1000],
])('N6 an alarm in %d s looks at the clock every %d ms', (seconds, tick) => {
  const alarm = createAlarm(() => {})
  alarm.set(seconds)
  const since = Date.now()
  vi.advanceTimersToNextTimer()
  expect(Date.now() - since).toBe(tick)
})

test('N6 an alarm rings once, at the first look at or after its time', () => {
  const ring = vi.fn()
  createAlarm(ring).set(12)
  vi.advanceTimersByTime(14_999)
  expect(ring).not.toHaveBeenCalled()
  vi.advanceTimersByTime(60_000)
  expect(ring).toHaveBeenCalledOnce()
})

test('N6 the time on the wall counts, not how often the computer was awake', () => {
  const ring = vi.fn()
  createAlarm(ring).set(3600)
  vi.setSystemTime(Date.now() + 3_600_000)
  vi.advanceTimersByTime(5000)
  expect(ring).toHaveBeenCalledOnce()
})

test('a clock that is set back does not make the alarm late', () => {
  const ring = vi.fn()
  createAlarm(ring).set(600)
  vi.setSystemTime(Date.now() - 7_200_000)
  vi.advanceTimersByTime(599_000)
  expect(ring).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1000)
  expect(ring).toHaveBeenCalledOnce()
})

test('N6 check rings at once what is due, and nothing else', () => {
  const ring = vi.fn()
  const alarm = createAlarm(ring)
  alarm.set(100)
  alarm.check()
  expect(ring).not.toHaveBeenCalled()
  vi.setSystemTime(Date.now() + 100_000)
  alarm.check()
  alarm.check()
  expect(ring).toHaveBeenCalledOnce()
})

test('N6 an alarm that is set to the same time goes on, and to another begins anew', () => {
  const ring = vi.fn()
  const alarm = createAlarm(ring)
  alarm.set(10)
  vi.advanceTimersByTime(4000)
  alarm.set(6)
  vi.advanceTimersByTime(6000)
  expect(ring).toHaveBeenCalledOnce()
  alarm.set(10)
  alarm.cancel()
  vi.advanceTimersByTime(60_000)
  expect(ring).toHaveBeenCalledOnce()
})
