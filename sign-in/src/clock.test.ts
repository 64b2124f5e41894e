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
])('an alarm in %d s checks the clock every %d ms', (seconds, tick) => {
  const alarm = createAlarm(() => {})
  alarm.set(seconds)
  const startedAt = Date.now()
  vi.advanceTimersToNextTimer()
  expect(Date.now() - startedAt).toBe(tick)
})

test('an alarm fires once, at the first check at or after its time', () => {
  const onDue = vi.fn()
  createAlarm(onDue).set(12)
  vi.advanceTimersByTime(14_999)
  expect(onDue).not.toHaveBeenCalled()
  vi.advanceTimersByTime(60_000)
  expect(onDue).toHaveBeenCalledOnce()
})

test('an alarm follows the wall clock, not the time awake', () => {
  const onDue = vi.fn()
  createAlarm(onDue).set(3600)
  vi.setSystemTime(Date.now() + 3_600_000)
  vi.advanceTimersByTime(5000)
  expect(onDue).toHaveBeenCalledOnce()
})

test('an alarm is not delayed when the clock is set back', () => {
  const onDue = vi.fn()
  createAlarm(onDue).set(600)
  vi.setSystemTime(Date.now() - 7_200_000)
  vi.advanceTimersByTime(599_000)
  expect(onDue).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1000)
  expect(onDue).toHaveBeenCalledOnce()
})

test('check fires a due alarm immediately, and only once', () => {
  const onDue = vi.fn()
  const alarm = createAlarm(onDue)
  alarm.set(100)
  alarm.check()
  expect(onDue).not.toHaveBeenCalled()
  vi.setSystemTime(Date.now() + 100_000)
  alarm.check()
  alarm.check()
  expect(onDue).toHaveBeenCalledOnce()
})

test('setting an alarm to the same time keeps it, and to another time restarts it', () => {
  const onDue = vi.fn()
  const alarm = createAlarm(onDue)
  alarm.set(10)
  vi.advanceTimersByTime(4000)
  alarm.set(6)
  vi.advanceTimersByTime(6000)
  expect(onDue).toHaveBeenCalledOnce()
  alarm.set(10)
  alarm.cancel()
  vi.advanceTimersByTime(60_000)
  expect(onDue).toHaveBeenCalledOnce()
})
