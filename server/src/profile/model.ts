import { runInThread } from '../worker-thread.ts'
import type { ModelReport } from './model-worker.ts'
import { avatarInvalid } from './problems.ts'
import { createQueue } from './work-queue.ts'

/** Checks an uploaded model and returns its SHA-256. Throws 400 with what is wrong, and 503. */
export type CheckModel = (bytes: Uint8Array) => Promise<string>

const modelWorker = new URL('./model-worker.ts', import.meta.url)
const timeoutMs = 10_000
const maxWaiting = 8
const limits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }
const tooCostly = { code: 'model-too-costly', message: 'The model takes too much time or memory to check.' }

/** Creates a checker. Each model is checked in a thread of its own: a file of 15 MiB takes up to a second. */
export function createModelChecker(): CheckModel {
  const enqueue = createQueue(maxWaiting)
  return async (bytes) => {
    const report = await enqueue(() => runInThread<ModelReport>(modelWorker, { data: bytes, timeoutMs, limits }))
    if (!report) throw avatarInvalid('glb', [tooCostly])
    if (report.findings.length > 0) throw avatarInvalid('glb', report.findings)
    return report.hash
  }
}
