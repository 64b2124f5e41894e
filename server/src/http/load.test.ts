import { describe, expect, test } from 'vitest'
import { createLoadLimiter, type LoadSlot } from './load.ts'

const limits = { alwaysAdmitted: 8, maxAdmitted: 100, maxWaitMs: 1_000, minMeasuredMs: 250 }

/** A server that responds to one request per `serviceMs`, in order, and clients that arrive each `arrivalMs`. */
function simulate({ serviceMs, arrivalMs, seconds }: { serviceMs: number; arrivalMs: number; seconds: number }) {
  let time = 0
  const load = createLoadLimiter(limits, () => time)
  const queue: { slot: LoadSlot; since: number }[] = []
  const waitTimes: number[] = []
  let rejected = 0
  for (; time < seconds * 1_000; time += 1) {
    if (time % serviceMs === 0) {
      const first = queue.shift()
      first?.slot.release()
      if (first) waitTimes.push(time - first.since)
    }
    if (time % arrivalMs !== 0) continue
    const slot = load.admit()
    if (slot) queue.push({ slot, since: time })
    else rejected += 1
  }
  return {
    refused: rejected,
    responses: waitTimes.length,
    longestMs: Math.max(...waitTimes),
    lastMs: Math.max(...waitTimes.slice(-20)),
  }
}

describe('the load', () => {
  test('rejects nothing while responses are in time', () => {
    expect(simulate({ serviceMs: 10, arrivalMs: 11, seconds: 20 })).toMatchObject({ refused: 0 })
  })

  test.for([3, 10, 20])('of %i times the capacity keeps waits within the limit', (times) => {
    const { responses, lastMs } = simulate({ serviceMs: 60, arrivalMs: 60 / times, seconds: 60 })
    expect(responses).toBeGreaterThan(0.98 * 1_000)
    expect(lastMs).toBeLessThan(1_500)
    expect(lastMs).toBeGreaterThan(500)
  })

  test('of slow requests is admitted up to the number that always is', () => {
    const { responses, lastMs } = simulate({ serviceMs: 250, arrivalMs: 25, seconds: 60 })
    expect(responses).toBeGreaterThan(230)
    expect(lastMs).toBeLessThan(8 * 250 + 2_000)
  })

  test('is bounded even before its rate is known', () => {
    const load = createLoadLimiter(limits, () => 0)
    for (let index = 0; index < 100; index++) expect(load.admit()).toBeDefined()
    expect(load.admit()).toBeUndefined()
  })

  test('without any responses is rejected after the tolerated pause', () => {
    let time = 0
    const load = createLoadLimiter(limits, () => time)
    const places = Array.from({ length: 8 }, () => load.admit())
    expect(load.admit()).toBeDefined()
    time = 249
    expect(load.admit()).toBeDefined()
    time = 250
    expect(load.admit()).toBeUndefined()
    for (const place of places) place?.release()
    expect(load.admit()).toBeDefined()
  })

  test('does not count a request that waits for its client, and counts none twice', async () => {
    const load = createLoadLimiter({ ...limits, maxAdmitted: 1 }, () => 0)
    const slow = load.admit()
    const { promise, resolve } = Promise.withResolvers<string>()
    const body = slow?.pauseWhile(() => promise)
    const other = load.admit()
    expect(other).toBeDefined()
    other?.release()
    other?.release()
    resolve('the body')
    expect(await body).toBe('the body')
    expect(load.admit()).toBeUndefined()
    slow?.release()
    expect(await slow?.pauseWhile(async () => 'later')).toBe('later')
    expect(load.admit()).toBeDefined()
  })
})
