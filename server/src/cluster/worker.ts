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
  /** Resolves when the primary process wants this one to end, or has ended itself. */
  endRequest: Promise<'drain' | 'stop'>
}

/** The primary answers earlier; it may be busy with an ending process. */
const metricsTimeoutMs = 3_000

/** Returns this process as a worker; undefined if it was not started by a primary process. */
export function findWorker(env: Record<string, string | undefined>): Worker | undefined {
  const place = Number(env[placeVariable])
  if (!place || !process.send) return undefined
  const send = (message: ToPrimary) => {
    // Without the primary process there is nobody to report to.
    if (process.connected) process.send?.(message, undefined, undefined, () => {})
  }
  const waiting = new Map<string, (all: object[][]) => void>()
  let serial = 0
  let metrics: Metrics | undefined
  const { promise: endRequest, resolve: end } = Promise.withResolvers<'drain' | 'stop'>()
  process.on('message', async (message: ToWorker) => {
    if (message.type === 'drain' || message.type === 'stop') end(message.type)
    if (message.type === 'metrics-of-others') waiting.get(message.request)?.(message.all)
    if (message.type === 'report-metrics') {
      const own = (await metrics?.readOwn().catch(() => undefined)) ?? []
      send({ type: 'metrics', request: message.request, own })
    }
  })
  once(process, 'disconnect').then(() => end('stop'))

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
    endRequest,
    otherProcesses: { name: String(place), readOthers },
    reportReady: (ownMetrics, password) => {
      metrics = ownMetrics
      send({ type: 'ready', password })
    },
  }
}
