import type { Worker } from 'node:worker_threads'
import type { TrialRequest, TrialResponse } from './test-hostile-sender.ts'

/** A response with what it cost. */
export interface MeasuredResponse extends TrialResponse {
  cpuMs: number
  longestTickMs: number
}

/** The CPU time of ten rounds of the sample on an idle machine with two cores of 2026. */
const sampleMs = 12
const sample = Array.from({ length: 2000 }, (_, index) => ({
  id: `id-${index}`,
  name: 'a name',
  tags: ['a', 'b', index],
}))

/** The maximum slowdown that is attributed to other work on the machine. */
const maxSlowdown = 5

/** Measures the current slowdown of this core relative to idle: shared cores and caches slow every process down. */
export function measureSlowdown(): number {
  const before = readCpuMs()
  for (let round = 0; round < 10; round++) JSON.parse(JSON.stringify(sample))
  return Math.min(maxSlowdown, Math.max(1, (readCpuMs() - before) / sampleMs))
}

/** Returns the CPU time of this thread in milliseconds, without other work of the machine. */
function readCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/**
 * Sends a request from another thread and measures its cost in this one. A timer fires at most once per turn of the
 * event loop, so it measures the cost of each turn.
 */
export async function measure(worker: Worker, trialRequest: TrialRequest): Promise<MeasuredResponse> {
  const before = readCpuMs()
  let last = before
  let longestTickMs = 0
  const tick = () => {
    const now = readCpuMs()
    longestTickMs = Math.max(longestTickMs, now - last)
    last = now
  }
  const timer = setInterval(tick, 1)
  const response = await new Promise<TrialResponse>((resolve) => {
    worker.once('message', resolve)
    worker.postMessage(trialRequest)
  })
  tick()
  clearInterval(timer)
  return { ...response, cpuMs: readCpuMs() - before, longestTickMs }
}
