import { Session } from 'node:inspector/promises'
import { onFileEnd } from './test-cleanups.ts'

/** The calls of functions during some work, in this thread. */
export interface CallCounts {
  /** The calls of all functions, also those of libraries and of Node: a measure of work that no busy machine changes. */
  total: number
  /** Returns the calls of the functions with this name. */
  of: (name: string) => number
}

/** Starts to count calls, until the end of the file, and returns a function that counts those of some work. */
export async function startCallCounter(): Promise<(work: () => Promise<unknown>) => Promise<CallCounts>> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  onFileEnd(async () => {
    await session.post('Profiler.stopPreciseCoverage')
    session.disconnect()
  })
  /** Returns the calls since the last call of this function. */
  const take = async () => {
    const byName = new Map<string, number>()
    let total = 0
    const { result } = await session.post('Profiler.takePreciseCoverage')
    for (const { functions } of result)
      for (const { functionName, ranges } of functions) {
        const count = ranges[0]?.count ?? 0
        total += count
        byName.set(functionName, (byName.get(functionName) ?? 0) + count)
      }
    return { total, of: (name: string) => byName.get(name) ?? 0 }
  }
  return async (work) => {
    await take()
    await work()
    return take()
  }
}
