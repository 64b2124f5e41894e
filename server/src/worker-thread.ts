import { type ResourceLimits, Worker } from 'node:worker_threads'

interface ThreadOptions {
  /** For `workerData`; copied. */
  data: unknown
  timeoutMs: number
  limits: ResourceLimits
}

/**
 * Runs a module in a thread of its own, so that costly work on a file neither holds up other requests nor exceeds its memory.
 * Returns the first message that it posts, or undefined if it ended at a limit of time, memory or stack.
 */
export async function runInThread<Result>(
  module: URL,
  { data, timeoutMs, limits }: ThreadOptions,
): Promise<Result | undefined> {
  const worker = new Worker(module, { workerData: data, resourceLimits: limits, env: {}, execArgv: [] })
  const timer = setTimeout(() => void worker.terminate(), timeoutMs)
  try {
    return await new Promise<Result | undefined>((resolve) => {
      worker.once('message', resolve)
      const end = () => resolve(undefined)
      worker.once('error', end)
      worker.once('exit', end)
    })
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}
