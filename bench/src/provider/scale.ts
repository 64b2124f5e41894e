import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type postgres from 'postgres'
import { createDataDir } from '../server.ts'
import { logPlans, measureQueryCost, type QueryCost } from '../shared-buffers.ts'
import { createConnections } from './browser.ts'
import { createOperations, type Operation, type OperationName, operationNames } from './operations.ts'
import { startPassport } from './passport.ts'
import { fillTables } from './scale-rows.ts'

const maxRatio = 1.3
/** The rate of sign-ins with which the removal of expired rows has to keep up. */
const signInsPerSecond = 500
const countedSignIns = 10
const expired = { sessions: 20_000, artifacts: 300_000 }

interface Measured {
  costs: Partial<Record<OperationName, QueryCost>>
  /** The rows that a sign-in adds, by table. */
  growth: Map<string, number>
  removedPerSecond: { sessions: number; artifacts: number }
}

/**
 * Counts the shared buffers that each operation of the provider reads with few and with many users, sessions and
 * sign-ins, the rows that a sign-in leaves, and how fast expired rows are removed.
 */
export async function measureProviderScale(counts: number[]): Promise<string> {
  const measured: Measured[] = []
  for (const count of counts) measured.push(await measure(count))
  const [small, large] = measured
  if (!small || !large) throw new Error('Two sizes are required')
  const format = (value: number, digits = 0) =>
    value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits }).padStart(12)
  const head = [
    'shared buffers',
    ...counts.map((count) => count.toLocaleString('en').padStart(12)),
    '     ratio',
    '  statements',
  ]
  const lines = operationNames.flatMap((name) => {
    const [before, after] = [small.costs[name], large.costs[name]]
    if (!before || !after) return []
    const ratio = after.buffers / before.buffers
    const isWithin = before.buffers === after.buffers || ratio <= maxRatio
    const figures = `${format(before.buffers)}${format(after.buffers)}${before.buffers > 0 ? format(ratio, 2).slice(2) : '–'.padStart(10)}`
    return [`${name.padEnd(24)}${figures}${format(after.statements)}   ${isWithin ? 'within' : 'MISSED'} ≤ ${maxRatio}`]
  })
  const rows = [...large.growth.values()].reduce((sum, count) => sum + count, 0)
  const artifacts = ['provider_artifacts', 'provider_tokens'].reduce(
    (sum, name) => sum + (large.growth.get(name) ?? 0),
    0,
  )
  return [
    `${(head[0] ?? '').padEnd(24)}${head.slice(1).join('')}`,
    ...lines,
    '',
    `rows of a sign-in at ${counts[1]?.toLocaleString('en')}: ${rows.toFixed(1)}`,
    ...[...large.growth].map(([table, count]) => `  ${table.padEnd(30)}${count.toFixed(1).padStart(6)}`),
    '',
    `${'expired rows removed a second'.padEnd(36)}${'sessions'.padStart(12)}${'artifacts'.padStart(12)}`,
    `${`  at ${counts[1]?.toLocaleString('en')}`.padEnd(36)}${format(large.removedPerSecond.sessions)}${format(large.removedPerSecond.artifacts)}`,
    `${`  by ${signInsPerSecond} sign-ins a second`.padEnd(36)}${format(signInsPerSecond)}${format(artifacts * signInsPerSecond)}`,
  ].join('\n')
}

async function measure(count: number): Promise<Measured> {
  const dataDir = createDataDir()
  const home = join(dataDir, 'postgres')
  try {
    const first = await startPassport({ dataDir })
    await fillTables(first.database.sql, count)
    await first.stop()
    logPlans(home)
    const provider = await startPassport({ dataDir })
    const http = createConnections()
    try {
      const operations = await createOperations(provider, http)
      const costs: Measured['costs'] = {}
      for (const [name, operation] of Object.entries(operations))
        costs[name as OperationName] = await measureOperation(home, operation)
      const growth = await measureGrowth(provider)
      // Last, because it leaves dead rows that nothing vacuums here.
      const removedPerSecond = await measureRemoval(provider.database.sql)
      return { costs, growth, removedPerSecond }
    } finally {
      http.close()
      await provider.stop()
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Returns the least of several runs, because background work of the server sometimes interferes. */
async function measureOperation(home: string, operation: Operation): Promise<QueryCost> {
  const costs: QueryCost[] = []
  for (let round = 0; round < 5; round++) {
    await operation.prepare?.(0)
    await operation.run(0)
    // What the server does after its response.
    await delay(200)
    costs.push(
      await measureQueryCost(home, async () => {
        await operation.run(0)
        await delay(100)
      }),
    )
  }
  return costs.reduce((least, cost) => (cost.buffers < least.buffers ? cost : least))
}

/** Counts the rows that sign-ins with the code flow add to each table. */
async function measureGrowth(provider: Awaited<ReturnType<typeof startPassport>>): Promise<Map<string, number>> {
  const { sql } = provider.database
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace and relname not in ('recurring_jobs', 'instances')
    order by relname`
  const count = async () => {
    const counts = new Map<string, number>()
    for (const { name } of tables) {
      const [row] = await sql<{ count: number }[]>`select count(*)::integer as count from only ${sql(name)}`
      counts.set(name, row?.count ?? 0)
    }
    return counts
  }
  const http = createConnections()
  const signIn = (await createOperations(provider, http))['sign-in, cheap hash']
  // Traces are saved by a timer.
  const settle = () => delay(3_000)
  await settle()
  const before = await count()
  for (let index = 0; index < countedSignIns; index++) await signIn?.run(index)
  await settle()
  const after = await count()
  http.close()
  return new Map(
    [...after]
      .map(([name, rows]) => [name, (rows - (before.get(name) ?? 0)) / countedSignIns] as const)
      .filter(([, rows]) => rows > 0),
  )
}

/** Measures how fast the recurring job removes expired sessions and artifacts. */
async function measureRemoval(sql: postgres.Sql): Promise<Measured['removedPerSecond']> {
  await sql`
    update sessions set expires_at = now() - interval '1 minute'
    where id in (select id from sessions limit ${expired.sessions})`
  const sessions = await timeRemoval(sql, sql`select count(*)::integer as count from sessions where expires_at < now()`)
  await sql`
    insert into provider_tokens (issuer, kind, id_hash, payload, account_id, grant_id, expires_at)
    select 'passport', 'AccessToken', 'expired' || i, '{}', 'u1', 'expired' || i, now() - interval '1 minute'
    from generate_series(1, ${expired.artifacts}::integer) i`
  const artifacts = await timeRemoval(
    sql,
    sql`select count(*)::integer as count from provider_artifacts where expires_at < now()`,
  )
  return { sessions, artifacts }
}

/** Lets the job run that removes expired rows; returns how many it removed a second. */
async function timeRemoval(sql: postgres.Sql, query: postgres.PendingQuery<postgres.Row[]>): Promise<number> {
  const read = async () => Number((await sql`${query}`)[0]?.['count'] ?? 0)
  const total = await read()
  await sql`update recurring_jobs set due_at = '-infinity', leased_until = '-infinity' where name = 'sweep'`
  // The rounds of the jobs are 30 s apart, so the time counts from the first removed rows.
  let left = total
  for (; left === total; left = await read()) await delay(10)
  const [startedAt, initial] = [performance.now(), left]
  for (; left > 0; left = await read()) await delay(10)
  return initial / ((performance.now() - startedAt) / 1000)
}
