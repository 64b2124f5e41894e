import { once } from 'node:events'
import type { Metrics, OtherProcesses } from '../http/metrics.ts'
import { placeVariable, type ToPrimary, type ToWorker } from './messages.ts'

/** This process as one of several that share a port. */
export interface Worker {
  /** From 1. */
  place: number
  otherProcesses: OtherProcesses
  /** Reports to the primary process that this one accepts requests. */
  reportReady: (metrics: Metrics, password: string | undefined) => void
  /** Resolves when another worker has taken the place of this one. */
  replaced: Promise<void>
}

/** What a worker does when the primary process stops. */
interface StopRequests {
  drain: () => void
  /** Also called if the primary process has ended. */
  stop: () => void
}

/** The primary answers earlier; it may be busy with an ending process. */
const metricsTimeoutMs = 3_000

/** Returns this process as a worker; undefined if it was not started by a primary process. */
export function findWorker(env: Record<string, string | undefined>, stopRequests: StopRequests): Worker | undefined {
  const place = Number(env[placeVariable])
  if (!place || !process.send) return undefined
  const send = (message: ToPrimary) => {
    // Without the primary process there is nobody to report to.
    if (process.connected) process.send?.(message, undefined, undefined, () => {})
  }
  const waiting = new Map<string, (all: object[][]) => void>()
  let serial = 0
  let metrics: Metrics | undefined
  const { promise: replaced, resolve: setReplaced } = Promise.withResolvers<void>()
  process.on('message', async (message: ToWorker) => {
    if (message.type === 'hand-over') setReplaced()
    if (message.type === 'drain') stopRequests.drain()
    if (message.type === 'stop') stopRequests.stop()
    if (message.type === 'metrics-of-others') waiting.get(message.request)?.(message.all)
    if (message.type === 'report-metrics') {
      const own = (await metrics?.readOwn().catch(() => undefined)) ?? []
      send({ type: 'metrics', request: message.request, own })
    }
  })
  once(process, 'disconnect').then(stopRequests.stop)

  const readOthers = async () => {
    const request = `${place}-${process.pid}-${++serial}`
    const { promise, resolve } = Promise.withResolvers<object[][]>()
    waiting.set(request, resolve)
    const timer = setTimeout(resolve, metricsTimeoutMs, [])
    send({ type: 'collect-metrics', request })
    return promise.finally(() => {
      clearTimeout(timer)
      waiting.delete(request)
    })
  }

  return {
    place,
    replaced,
    otherProcesses: { name: String(place), readOthers },
    reportReady: (ownMetrics, password) => {
      metrics = ownMetrics
      send({ type: 'ready', password })
    },
  }
}
