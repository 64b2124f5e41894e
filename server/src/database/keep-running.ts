import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'

/** Callbacks for the ends and restarts of a process. */
export interface RestartListener {
  onEnded: (exit: { exitCode: number | null; signal: string | null; restartInMs: number }) => void
  onRestarted: (seconds: number) => void
  onFailed: (error: Error) => void
  /** Called once, after the fifth failure within a minute; the process is then not restarted. */
  onGiveUp: (error: Error) => void
}

const pausesMs = [500, 1000, 2000]
const maxFailures = 5
const failureWindowMs = 60_000
/** A process that ends sooner after its start counts as a failed start: the next pause is longer. */
const minUptimeMs = 1000

/** Restarts a process whenever it ends. Returns a function that stops the restarts and resolves with the process. */
export function keepRunning(
  first: ChildProcess,
  start: () => Promise<ChildProcess>,
  { onEnded, onRestarted, onFailed, onGiveUp }: RestartListener,
): () => Promise<ChildProcess> {
  const stopping = new AbortController()
  const { signal } = stopping
  let child = first

  async function restart(): Promise<void> {
    const endedAt = performance.now()
    const failedAt: number[] = []
    while (!signal.aborted) {
      try {
        child = await start()
        return onRestarted((performance.now() - endedAt) / 1000)
      } catch (error) {
        onFailed(error as Error)
        failedAt.push(performance.now())
        const recent = failedAt.filter((at) => performance.now() - at < failureWindowMs)
        if (recent.length >= maxFailures) {
          stopping.abort()
          return onGiveUp(error as Error)
        }
        await pause(failedAt.length)
      }
    }
  }

  const pauseMsAfter = (failureCount: number) => pausesMs[Math.min(failureCount, pausesMs.length - 1)] ?? 0
  const pause = (failureCount: number) =>
    delay(pauseMsAfter(failureCount), undefined, { signal, ref: false }).catch(() => {})

  async function run() {
    let shortRunCount = 0
    while (!signal.aborted) {
      const startedAt = performance.now()
      if (!hasEnded(child)) await once(child, 'exit', { signal }).catch(() => {})
      if (signal.aborted) return
      shortRunCount = performance.now() - startedAt < minUptimeMs ? shortRunCount + 1 : 0
      onEnded({ exitCode: child.exitCode, signal: child.signalCode, restartInMs: pauseMsAfter(shortRunCount) })
      await pause(shortRunCount)
      await restart()
    }
  }

  const running = run()
  return async () => {
    stopping.abort()
    await running
    return child
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null
