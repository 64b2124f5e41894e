import type { Health, HealthCheck } from '@passport/contract/health'
import type { Services } from '../feature.ts'
import { type Check, type Measurement, measure } from './check.ts'
import { createChecks } from './checks.ts'
import * as store from './store.ts'
import { listWarnings } from './warnings.ts'

/** The checks of an installation, as one server process runs them. */
export interface Monitor {
  names: string[]
  /** Returns the results, at most 10 seconds old. */
  read: () => Promise<Health>
  /** Runs all checks and stores their results, for the servers that ask later. */
  record: () => Promise<void>
}

const maxAgeMs = 10_000

/** Creates the monitor. Checks run once at a time, however many administrators look at them. */
export function createMonitor(services: Services): Monitor {
  const { sql, log } = services
  const checks = createChecks(services)
  /** The states that this process has seen and that no sample has yet. */
  const observed = new Map<string, Pick<HealthCheck, 'status' | 'since'>>()
  let cached: { health: Promise<Health>; startedAt: number } | undefined

  async function runChecks(): Promise<HealthCheck[]> {
    const [measured, states] = await Promise.all([Promise.all(checks.map(measure)), store.listStates(sql)])
    const byName = new Map(states.map((state) => [state.name, state]))
    const now = new Date().toISOString()
    return checks.map((check, index) => {
      const { name, limitMs } = check
      const measurement = measured[index] as Measurement
      const stored = byName.get(name)
      const status = decideStatus(check, measurement, stored?.recentMs ?? [])
      const known = stored?.status === status ? stored : observed.get(name)
      const since = known?.status === status ? known.since : now
      // Also if it failed before the start of this process, which may have another setting.
      if (status === 'down' && observed.get(name)?.status !== status)
        log.warn(
          { check: name, setting: check.setting, detail: measurement.detail, err: measurement.error },
          'check-failed',
        )
      observed.set(name, { status, since })
      return { name, status, latencyMs: measurement.latencyMs, limitMs, detail: measurement.detail, since }
    })
  }

  async function runAll(): Promise<Health> {
    const [results, instances, warnings] = await Promise.all([runChecks(), store.listInstances(sql), listWarnings(sql)])
    const isDegraded = results.some(({ status }) => status === 'slow' || status === 'down')
    const checkedAt = new Date().toISOString()
    return { status: isDegraded ? 'degraded' : 'ok', checkedAt, checks: results, warnings, instances }
  }

  return {
    names: checks.map(({ name }) => name),
    read: () => {
      if (cached && performance.now() - cached.startedAt < maxAgeMs) return cached.health
      const current = { health: runAll(), startedAt: performance.now() }
      cached = current
      current.health.catch(() => {
        if (cached === current) cached = undefined
      })
      return current.health
    },
    record: async () => {
      const results = await runChecks()
      const samples = results.flatMap(({ name, status, latencyMs }) =>
        status === 'off' ? [] : [{ name, status, latencyMs }],
      )
      await store.addSamples(sql, samples)
      await store.saveStates(sql, results)
      await store.sweepInstances(sql)
    },
  }
}

/** Slow is a 95th percentile of the last 5 minutes above the limit, with the current measurement among them. */
function decideStatus({ limitMs }: Check, measurement: Measurement, recentMs: number[]): HealthCheck['status'] {
  if (measurement.status !== 'passed') return measurement.status === 'off' ? 'off' : 'down'
  const sorted = [...recentMs, measurement.latencyMs ?? 0].toSorted((a, b) => a - b)
  const p95 = sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0
  return p95 > limitMs ? 'slow' : 'ok'
}
