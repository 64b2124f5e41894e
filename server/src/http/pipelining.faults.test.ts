import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { onFileEnd } from '../test-cleanups.ts'
import { startTestService } from '../test-service.ts'
import type { PipeliningResult, PipeliningTrial } from './test-pipelining-client.ts'

const count = 1_000
const medianOf = (times: number[]) => times[Math.floor(times.length / 2)] ?? Number.POSITIVE_INFINITY

test.for(['/docs/configuration', '/docs?q=th+in+er+an', '/connect/jwks', '/connect/authorize?client_id=x', '/login'])(
  'beside 1,000 requests of one connection for %s, /healthz takes as long as alone',
  { timeout: 120_000 },
  async (path) => {
    const { url } = await startTestService()
    const worker = new Worker(new URL('./test-pipelining-client.ts', import.meta.url))
    onFileEnd(() => worker.terminate())
    await fetch(url + path)
    const { alone, beside } = await new Promise<PipeliningResult>((resolve) => {
      worker.once('message', resolve)
      const trial: PipeliningTrial = { url, path, count }
      worker.postMessage(trial)
    })
    const ratio = medianOf(beside) / medianOf(alone)
    const longest = beside.at(-1) ?? 0
    console.info(`${path}: ${ratio.toFixed(1)} times the median, ${longest.toFixed(0)} ms at most of ${beside.length}`)
    // One request after the other would take the time of all of them.
    expect(ratio).toBeLessThan(20)
    expect(longest).toBeLessThan(500)
    await worker.terminate()
  },
)
