import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { placeVariable, type ToPrimary, type ToWorker } from './messages.ts'

/** The worker processes of this machine. */
export interface Workers {
  /**
   * Starts them: the first one alone, because it may have to create the tables, then the others. Returns the password
   * that the first one reports. Throws `WorkerEnded` if one ends instead.
   */
  start: () => Promise<string | undefined>
  /** Replaces them one by one by new ones; each is asked to end when its successor accepts requests. */
  restart: () => Promise<void>
  /** Stops them after `DRAIN_SECONDS`, or when `skipDrain` is aborted. */
  stop: (skipDrain: AbortSignal) => Promise<void>
}

/** A worker ended before it was ready. It has printed the reason. */
export class WorkerEnded extends Error {}

interface Options {
  count: number
  env: Record<string, string>
  /** The time for which a worker serves requests before it stops. */
  drainMs: number
  log: Log
}

/** A worker that ends is replaced after this time, which doubles with each further one. */
const minBackOffMs = 250
const maxBackOffMs = 30_000
/** After this time a worker counts as stable, and the next one to end is replaced quickly again. */
const stableMs = 60_000
/** A worker stops within 10 s, plus 5 s while it hands over; one that does not is killed. */
const stopTimeoutMs = 20_000
const metricsTimeoutMs = 1_500

interface Place {
  number: number
  worker: Worker | undefined
  /** How many workers have ended here since one was stable. */
  failures: number
  /** A successor is being started, which will take the place. */
  isRestarting: boolean
}

/** Creates the workers, which are not started yet. */
export function createWorkers({ count, env, drainMs, log }: Options): Workers {
  const places: Place[] = Array.from({ length: count }, (_, index) => ({
    number: index + 1,
    worker: undefined,
    failures: 0,
    isRestarting: false,
  }))
  const stopping = new AbortController()
  const { signal } = stopping
  const running = new Set<Worker>()
  const replies = new Map<string, (own: object[]) => void>()
  let isRestarting = false

  /** Starts a worker; resolves when it accepts requests, to its password. */
  async function launch(place: Place): Promise<string | undefined> {
    const worker = cluster.fork({ ...env, [placeVariable]: String(place.number) })
    running.add(worker)
    const ready = Promise.withResolvers<string | undefined>()
    worker.on('message', (message: ToPrimary) => {
      if (message.type === 'ready') ready.resolve(message.password)
      if (message.type === 'metrics') replies.get(`${worker.id} ${message.request}`)?.(message.own)
      if (message.type === 'collect-metrics') void collectMetrics(worker, message.request)
    })
    worker.on('error', (error) => log.warn({ err: error, worker: place.number }, 'worker-not-reached'))
    worker.once('exit', (code, signal) => {
      running.delete(worker)
      ready.reject(new WorkerEnded(`Worker ${place.number} ended with ${signal ?? code}.`))
      if (place.worker === worker) void replace(place, { code, signal })
    })
    const password = await ready.promise
    place.worker = worker
    setTimeout(() => {
      if (place.worker === worker) place.failures = 0
    }, stableMs).unref()
    return password
  }

  /** Replaces a worker that has ended by itself, again and again if the new one ends too. */
  async function replace(place: Place, reason: { code: number | null; signal: string | null }): Promise<void> {
    place.worker = undefined
    if (signal.aborted) return
    log.error({ worker: place.number, ...reason }, 'worker-ended')
    if (!place.isRestarting) await refill(place)
  }

  /** Starts workers for an empty place until one stays. */
  async function refill(place: Place): Promise<void> {
    while (!signal.aborted && !place.worker) {
      const backOffMs = Math.min(maxBackOffMs, minBackOffMs * 2 ** place.failures)
      place.failures += 1
      await delay(backOffMs, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      await launch(place).then(
        () => log.info({ worker: place.number }, 'worker-replaced'),
        (error) => log.error({ worker: place.number, reason: error.message }, 'worker-not-replaced'),
      )
    }
  }

  async function end(worker: Worker, type: 'hand-over' | 'stop'): Promise<void> {
    if (worker.isDead()) return
    const ended = once(worker, 'exit')
    sendTo(worker, { type })
    const timer = setTimeout(() => worker.process.kill('SIGKILL'), stopTimeoutMs)
    await ended
    clearTimeout(timer)
  }

  /** Lets a worker drain, and ends it if it is still running then. */
  async function drain(worker: Worker, skipDrain: AbortSignal): Promise<void> {
    if (skipDrain.aborted) return end(worker, 'stop')
    sendTo(worker, { type: 'drain' })
    const ended = new AbortController()
    worker.once('exit', () => ended.abort())
    await delay(drainMs, undefined, { signal: AbortSignal.any([skipDrain, ended.signal]) }).catch(() => {})
    await end(worker, 'stop')
  }

  /** Answers a worker with the metrics of all others. One that is busy is missing. */
  async function collectMetrics(asking: Worker, request: string): Promise<void> {
    const others = places.flatMap(({ worker }) => (worker && worker !== asking ? [worker] : []))
    const all = await Promise.all(
      others.map(async (worker) => {
        const key = `${worker.id} ${request}`
        const { promise, resolve } = Promise.withResolvers<object[]>()
        replies.set(key, resolve)
        sendTo(worker, { type: 'report-metrics', request })
        const own = await Promise.race([promise, delay(metricsTimeoutMs, undefined, { ref: false })])
        replies.delete(key)
        return own ?? []
      }),
    )
    sendTo(asking, { type: 'metrics-of-others', request, all })
  }

  return {
    start: async () => {
      const [first, ...others] = places
      const password = first && (await launch(first))
      await Promise.all(others.map(launch))
      return password
    },
    restart: async () => {
      if (isRestarting || signal.aborted) return
      isRestarting = true
      try {
        for (const place of places) {
          const former = place.worker
          if (signal.aborted) return
          place.isRestarting = true
          await launch(place).finally(() => {
            place.isRestarting = false
            // The former worker has ended in the meantime.
            if (!place.worker) void refill(place)
          })
          if (former) await end(former, 'hand-over')
          log.info({ worker: place.number }, 'worker-restarted')
        }
      } catch (error) {
        // The former worker stays.
        log.error({ reason: error instanceof Error ? error.message : error }, 'restart-ended')
      } finally {
        isRestarting = false
      }
    },
    stop: async (skipDrain) => {
      stopping.abort()
      await Promise.all([...running].map((worker) => drain(worker, skipDrain)))
    },
  }
}

/** Sends a message. A worker that has just ended does not get it. */
function sendTo(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, undefined, () => {})
}
