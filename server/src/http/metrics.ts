import { setTimeout as delay } from 'node:timers/promises'
import { AggregatorRegistry, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { CompletedRequest } from './activity.ts'
import { createRequestTally } from './request-tally.ts'

export interface Metrics {
  count: (request: CompletedRequest) => void
  /**
   * Adds a gauge that is read with the others; it is omitted if `read` fails or takes long. It is the same in every
   * process unless it is one of the process.
   */
  addGauge: (name: string, help: string, read: () => number | Promise<number>, options?: { isOfProcess?: true }) => void
  /** Adds a gauge that is the same in every process, with a value for each key in `label`. */
  addGaugeBy: (label: string, name: string, help: string, read: () => Promise<Map<string, number>>) => void
  /**
   * Returns the metrics in the text format of Prometheus, and its media type. With several processes they are those of
   * all, each with the label `worker`.
   */
  read: () => Promise<{ type: string; text: string }>
  /** Returns the metrics of this process alone, for another process. */
  readOwn: () => Promise<object[]>
}

/** The other processes of this machine. */
export interface OtherProcesses {
  /** The label of this process. */
  name: string
  /** Returns their `readOwn`; one that does not answer in time is missing. */
  readOthers: () => Promise<object[][]>
}

/** An unresponsive database must not delay the other metrics. */
const gaugeTimeoutMs = 1_000

/** Creates the metrics of this process; `others` are those behind the same port. */
export function createMetrics(others?: OtherProcesses): Metrics {
  const registry = new Registry()
  const shared = new Registry()
  if (others) registry.setDefaultLabels({ worker: others.name })
  collectDefaultMetrics({ register: registry })
  const tally = createRequestTally(registry)
  return {
    count: tally.count,
    addGauge: (name, help, read, { isOfProcess } = {}) => {
      const gauge = new Gauge({
        name,
        help,
        registers: [isOfProcess ? registry : shared],
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
        registers: [shared],
        collect: async () => {
          gauge.reset()
          for (const [key, value] of (await withTimeout(read)) ?? []) gauge.set({ [label]: key }, value)
        },
      })
    },
    read: async () => {
      const processes = others ? await readAll(registry, others) : registry
      const texts = [await processes.metrics(), await shared.metrics()]
      return { type: registry.contentType, text: texts.join('\n') }
    },
    readOwn: () => registry.getMetricsAsJSON(),
  }
}

/** Merges the metrics of all processes, whose labels differ, so that nothing is summed. */
async function readAll(registry: Registry, { readOthers }: OtherProcesses) {
  const all: { aggregator?: string }[][] = [await registry.getMetricsAsJSON(), ...(await readOthers())]
  // By default the start times, for example, would be omitted.
  const distinct = all.map((metrics) => metrics.map((metric) => ({ ...metric, aggregator: 'first' })))
  return AggregatorRegistry.aggregate(distinct)
}

/** Reads a value; undefined if `read` fails or takes too long. */
function withTimeout<T>(read: () => Promise<T>): Promise<T | undefined> {
  const timeout = delay(gaugeTimeoutMs, undefined, { ref: false })
  return Promise.race([read(), timeout]).catch(() => undefined)
}
