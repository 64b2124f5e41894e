import { Worker } from 'node:worker_threads'
import type { ModelReport } from './model-worker.ts'
import { avatarInvalid } from './problems.ts'
import { createQueue } from './work-queue.ts'

/** Checks an uploaded model and returns its SHA-256. Throws 400 with what is wrong, and 503. */
export type CheckModel = (bytes: Uint8Array) => Promise<string>

const timeoutMs = 10_000
const maxWaiting = 8
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }
const tooCostly = { code: 'model-too-costly', message: 'The model takes too much time or memory to check.' }

/** Creates a checker. Each model is checked in a thread of its own: a file of 15 MiB takes up to a second. */
export function createModelChecker(): CheckModel {
  const enqueue = createQueue(maxWaiting)
  return async (bytes) => {
    const { findings, hash } = await enqueue(() => runWorker(bytes))
    if (findings.length > 0) throw avatarInvalid('glb', findings)
    return hash
  }
}

async function runWorker(bytes: Uint8Array): Promise<ModelReport> {
  const worker = new Worker(new URL('./model-worker.ts', import.meta.url), {
    workerData: bytes,
    resourceLimits,
    env: {},
    execArgv: [],
  })
  const timer = setTimeout(() => void worker.terminate(), timeoutMs)
  try {
    return await new Promise<ModelReport>((resolve) => {
      worker.once('message', resolve)
      // Ended at a limit of time, memory or stack.
      const fail = () => resolve({ findings: [tooCostly], hash: '' })
      worker.once('error', fail)
      worker.once('exit', fail)
    })
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}
