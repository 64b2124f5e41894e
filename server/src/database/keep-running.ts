import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'

export interface RestartReports {
  onEnded: (exit: { exitCode: number | null; signal: string | null; restartInMs: number }) => void
  onRestarted: (seconds: number) => void
  onFailed: (error: Error) => void
  /** Called once, after the fifth failure within a minute; the process is then not restarted. */
  onGivenUp: (error: Error) => void
}

const pausesMs = [500, 1000, 2000]
const maxFailures = 5
const failureWindowMs = 60_000
/** A process that ends sooner after its start counts as a failed start: the next pause is longer. */
const minUptimeMs = 1000

/** Restarts a process whenever it ends. Returns a function that stops this and resolves with the running process. */
export function keepRunning(
  first: ChildProcess,
  start: () => Promise<ChildProcess>,
  { onEnded, onRestarted, onFailed, onGivenUp }: RestartReports,
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
          return onGivenUp(error as Error)
        }
        await pause(failedAt.length)
      }
    }
  }

  const pauseFor = (failures: number) => pausesMs[Math.min(failures, pausesMs.length - 1)] ?? 0
  const pause = (failures: number) => delay(pauseFor(failures), undefined, { signal, ref: false }).catch(() => {})

  async function run() {
    let shortRuns = 0
    while (!signal.aborted) {
      const startedAt = performance.now()
      if (!hasEnded(child)) await once(child, 'exit', { signal }).catch(() => {})
      if (signal.aborted) return
      shortRuns = performance.now() - startedAt < minUptimeMs ? shortRuns + 1 : 0
      onEnded({ exitCode: child.exitCode, signal: child.signalCode, restartInMs: pauseFor(shortRuns) })
      await pause(shortRuns)
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
