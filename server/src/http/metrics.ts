import { setTimeout as delay } from 'node:timers/promises'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { CompletedRequest } from './activity.ts'

export interface Metrics {
  count: (request: CompletedRequest) => void
  /** Adds a gauge that is read with the others; it is omitted if `read` fails or takes long. */
  addGauge: (name: string, help: string, read: () => number | Promise<number>) => void
  /** Adds a gauge with a value for each key in `label`. */
  addGaugeBy: (label: string, name: string, help: string, read: () => Promise<Map<string, number>>) => void
  /** Returns the metrics in the text format of Prometheus, and its media type. */
  read: () => Promise<{ type: string; text: string }>
}

/** An unresponsive database must not delay the other metrics. */
const gaugeTimeoutMs = 1_000

/** Creates the metrics of this process. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Completed requests',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to its response',
    labelNames: ['method', 'route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [registry],
  })
  return {
    count: ({ method, route, status, seconds }) => {
      requests.inc({ method, route, status })
      durations.observe({ method, route }, seconds)
    },
    addGauge: (name, help, read) => {
      const gauge = new Gauge({
        name,
        help,
        registers: [registry],
        collect: async () => {
          const value = await withTimeout(async () => read())
          if (value === undefined) gauge.remove()
          else gauge.set(value)
        },
      })
    },
    addGaugeBy: (label, name, help, read) => {
      const gauge = new Gauge({
        name,
        help,
        labelNames: [label],
        registers: [registry],
        collect: async () => {
          gauge.reset()
          for (const [key, value] of (await withTimeout(read)) ?? []) gauge.set({ [label]: key }, value)
        },
      })
    },
    read: async () => ({ type: registry.contentType, text: await registry.metrics() }),
  }
}

/** Reads a value; undefined if `read` fails or takes too long. */
function withTimeout<T>(read: () => Promise<T>): Promise<T | undefined> {
  const timeout = delay(gaugeTimeoutMs, undefined, { ref: false })
  return Promise.race([read(), timeout]).catch(() => undefined)
}
