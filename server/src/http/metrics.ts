import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'

/** Notes one answered request. */
export type CountRequest = (method: string, status: number, seconds: number) => void

export interface Metrics {
  count: CountRequest
  /** The figures in the text format of Prometheus, and its media type. */
  read: () => Promise<{ type: string; text: string }>
}

/** The figures of this process. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Answered requests',
    labelNames: ['method', 'status'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the arrival of a request to its answer',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [registry],
  })
  return {
    count: (method, status, seconds) => {
      requests.inc({ method, status })
      durations.observe(seconds)
    },
    read: async () => ({ type: registry.contentType, text: await registry.metrics() }),
  }
}
