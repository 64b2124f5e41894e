import { describe, expect, test } from 'vitest'
import { createLoadLimiter, type LoadSlot } from './load.ts'

const limits = { alwaysAdmitted: 8, maxAdmitted: 100, maxWaitMs: 1_000, minMeasuredMs: 250 }

/** Simulates a server that responds to one request per `serviceMs`, in order, and a request every `arrivalMs`. */
function simulate({ serviceMs, arrivalMs, seconds }: { serviceMs: number; arrivalMs: number; seconds: number }) {
  let time = 0
  const limiter = createLoadLimiter(limits, () => time)
  const queue: { slot: LoadSlot; since: number }[] = []
  const waitTimes: number[] = []
  let rejectedCount = 0
  for (; time < seconds * 1_000; time += 1) {
    if (time % serviceMs === 0) {
      const first = queue.shift()
      first?.slot.release()
      if (first) waitTimes.push(time - first.since)
    }
    if (time % arrivalMs !== 0) continue
    const slot = limiter.admit()
    if (slot) queue.push({ slot, since: time })
    else rejectedCount += 1
  }
  return {
    rejectedCount,
    responseCount: waitTimes.length,
    longestMs: Math.max(...waitTimes),
    lastMs: Math.max(...waitTimes.slice(-20)),
  }
}

describe('the load limiter', () => {
  test('rejects no request below the capacity', () => {
    expect(simulate({ serviceMs: 10, arrivalMs: 11, seconds: 20 })).toMatchObject({ rejectedCount: 0 })
  })

  test.for([3, 10, 20])('keeps waits within the limit at %i times the capacity', (times) => {
    const { responseCount, lastMs } = simulate({ serviceMs: 60, arrivalMs: 60 / times, seconds: 60 })
    expect(responseCount).toBeGreaterThan(0.98 * 1_000)
    expect(lastMs).toBeLessThan(1_500)
    expect(lastMs).toBeGreaterThan(500)
  })

  test('admits slow requests up to the number that is always admitted', () => {
    const { responseCount, lastMs } = simulate({ serviceMs: 250, arrivalMs: 25, seconds: 60 })
    expect(responseCount).toBeGreaterThan(230)
    expect(lastMs).toBeLessThan(8 * 250 + 2_000)
  })

  test('admits at most the maximum number before the rate is known', () => {
    const limiter = createLoadLimiter(limits, () => 0)
    for (let index = 0; index < 100; index++) expect(limiter.admit()).toBeDefined()
    expect(limiter.admit()).toBeUndefined()
  })

  test('rejects requests after a time without responses, until some are sent', () => {
    let time = 0
    const limiter = createLoadLimiter(limits, () => time)
    const slots = Array.from({ length: 8 }, () => limiter.admit())
    expect(limiter.admit()).toBeDefined()
    time = 249
    expect(limiter.admit()).toBeDefined()
    time = 250
    expect(limiter.admit()).toBeUndefined()
    for (const slot of slots) slot?.release()
    expect(limiter.admit()).toBeDefined()
  })

  test('rejects no request because others wait for the end of an outage, up to the maximum number', () => {
    let [time, isInOutage] = [0, true]
    const limiter = createLoadLimiter(
      limits,
      () => time,
      () => isInOutage,
    )
    for (; time < 99; time++) expect(limiter.admit()).toBeDefined()
    time = 5_000
    const last = limiter.admit()
    expect([last === undefined, limiter.admit()]).toEqual([false, undefined])
    isInOutage = false
    last?.release()
    // The time of the outage is not part of the rate.
    expect(limiter.admit()).toBeDefined()
  })

  test('does not count a request that waits for its client, and counts each release once', async () => {
    const limiter = createLoadLimiter({ ...limits, maxAdmitted: 1 }, () => 0)
    const slow = limiter.admit()
    const { promise, resolve } = Promise.withResolvers<string>()
    const body = slow?.pauseWhile(() => promise)
    const other = limiter.admit()
    expect(other).toBeDefined()
    other?.release()
    other?.release()
    resolve('the body')
    expect(await body).toBe('the body')
    expect(limiter.admit()).toBeUndefined()
    slow?.release()
    expect(await slow?.pauseWhile(async () => 'later')).toBe('later')
    expect(limiter.admit()).toBeDefined()
  })
})
