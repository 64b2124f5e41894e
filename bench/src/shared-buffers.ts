import { appendFileSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Configures the embedded PostgreSQL of a stopped server to log the plan of every statement. */
export function logPlans(home: string): void {
  const settings = {
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': 0,
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_buffers': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_format': 'json',
    'auto_explain.log_parameter_max_length': 0,
    autovacuum: 'off',
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`)
  appendFileSync(join(home, 'tables/postgresql.auto.conf'), lines.join(''))
}

/** The statements of a request, and the shared buffers that they access. */
export interface QueryCost {
  statements: number
  buffers: number
}

/**
 * Returns the number of statements that `work` executes, and of the shared buffers that they access (hits and reads),
 * from the plans that `logPlans` configures.
 */
export async function measureQueryCost(home: string, work: () => Promise<unknown>): Promise<QueryCost> {
  const log = join(home, 'log')
  const before = statSync(log).size
  await work()
  const plans = readFileSync(log)
    .subarray(before)
    .toString()
    .split(/^.*duration: .*plan:$/m)
    .slice(1)
  // The first node of a plan includes the reads of all nodes below it.
  const countBlocks = (plan: string, kind: string) =>
    Number(new RegExp(`"Shared ${kind} Blocks": (\\d+)`).exec(plan)?.[1] ?? 0)
  return {
    statements: plans.length,
    buffers: plans.reduce((sum, plan) => sum + countBlocks(plan, 'Hit') + countBlocks(plan, 'Read'), 0),
  }
}
