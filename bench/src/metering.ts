import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type RunningAwsMarketplace, startAwsMarketplace } from '@passport/world/aws-marketplace/aws-marketplace'
import { addToPassport } from '@passport/world/aws-marketplace/stage-products'
import { type RunningServer, runServer } from '@passport/world/process'
import postgres from 'postgres'
import { readCpuSeconds } from './cpu-time.ts'
import { readDatabaseCpuSeconds } from './database-cpu.ts'
import { percentile } from './percentile.ts'
import { createDataDir, signIn, stop } from './server.ts'
import { logPlans, measureQueryCost } from './shared-buffers.ts'
import { formatTable } from './table.ts'

/** `METERING_ROWS=10000 npm run bench -- metering` is shorter. */
const rows = Number(process.env['METERING_ROWS'] ?? 100_000)
/** The statements are counted with fewer rows, because their plans are logged. */
const countedRows = 5_000
const reports = 5_000
const reportsAtOnce = 16
const hoursPerMeter = 20
const product = 'stagehours1a2b3c4d5e6f7g8'
const hourMs = 3_600_000

/** Reports usage by the API, and lets a server freeze and send rows of a day, of 5,000 subscriptions. */
export async function measureMetering(): Promise<string> {
  const load = await run(rows, false)
  const counted = await run(countedRows, true)
  const perRow = (seconds: number, count: number) => `${((seconds * 1000) / count).toFixed(3)} ms`
  const sending = load.sending.serverCpu + load.sending.databaseCpu
  return formatTable([
    [`usage rows frozen and sent`, String(rows), `${load.billed} billed`, load.billed === rows],
    ['lost or billed twice', String(load.wrong), '0', load.wrong === 0],
    ['calls of BatchMeterUsage', String(load.calls), `≥ ${rows / 25}`, load.calls >= rows / 25],
    ['CPU of server and database, per row', perRow(sending, rows), '≤ 1 ms', sending / rows <= 0.001],
    ['  of the server', perRow(load.sending.serverCpu, rows)],
    ['  of the database', perRow(load.sending.databaseCpu, rows)],
    [
      'statements, per row',
      (counted.sending.statements / countedRows).toFixed(3),
      '≤ 0.2',
      counted.sending.statements / countedRows <= 0.2,
    ],
    ['time, at 9 calls a second', `${load.sending.seconds.toFixed(0)} s`],
    [`reports of usage by the API`, String(reports)],
    ['CPU of server and database, per report', perRow(load.reporting.serverCpu + load.reporting.databaseCpu, reports)],
    ['statements, per report', (counted.reporting.statements / reports).toFixed(2)],
    ['answer, p99', `${percentile(load.answers, 0.99).toFixed(1)} ms`],
  ])
}

interface Phase {
  serverCpu: number
  databaseCpu: number
  statements: number
  seconds: number
}

async function run(count: number, countsStatements: boolean) {
  const dataDir = createDataDir()
  const home = join(dataDir, 'postgres')
  const marketplace = await startAwsMarketplace({
    fulfilmentUrl: 'http://localhost/unused',
    eventsUrl: 'http://localhost/unused',
    eventKey: 'unused',
  })
  marketplace.setDelivery('held')
  const sql = postgres({ path: join(home, 'sockets/.s.PGSQL.5432'), user: 'passport', database: 'passport', max: 1 })
  const env = { DATA_DIR: dataDir, AWS_MARKETPLACE_REGION: 'us-east-1', ...marketplace.environment }
  try {
    const first = await runServer(env)
    const headers = {
      cookie: await signIn(first.url, first.password),
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
    }
    await addToPassport((path, body) =>
      fetch(first.url + path, { method: 'POST', headers, body: JSON.stringify(body) }),
    )
    await stop(first)
    if (countsStatements) logPlans(home)
    const server = await runServer(env)
    try {
      await addMeters(marketplace, sql, Math.ceil(count / hoursPerMeter))
      const measure = (work: () => Promise<void>) => measurePhase({ server, home, countsStatements }, work)
      const answers: number[] = []
      const reporting = await measure(() => report(server, headers, answers))
      // The reported hours are still open; those of the day before are closed.
      const sending = await measure(async () => {
        await addUsage(sql, count)
        while ((await countOpen(sql)) > 0) await delay(1000)
      })
      const billed = marketplace.usage().length
      const unique = new Set(marketplace.usage().map(({ licenseArn, hour }) => `${licenseArn} ${hour}`)).size
      const calls = marketplace.requests().filter(({ operation }) => operation === 'BatchMeterUsage').length
      return { reporting, sending, billed, wrong: Math.abs(count - unique) + (billed - unique), calls, answers }
    } finally {
      await sql.end()
      await stop(server)
    }
  } finally {
    await marketplace.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function measurePhase(
  { server, home, countsStatements }: { server: RunningServer; home: string; countsStatements: boolean },
  work: () => Promise<void>,
): Promise<Phase> {
  const [serverCpu, databaseCpu, startedAt] = [readCpuSeconds(server.pid), readDatabaseCpuSeconds(home), Date.now()]
  const { statements } = countsStatements
    ? await measureQueryCost(home, work)
    : await work().then(() => ({ statements: 0 }))
  return {
    serverCpu: readCpuSeconds(server.pid) - serverCpu,
    databaseCpu: readDatabaseCpuSeconds(home) - databaseCpu,
    statements,
    seconds: (Date.now() - startedAt) / 1000,
  }
}

/** Adds subscriptions, each of an organisation of its own. */
async function addMeters(marketplace: RunningAwsMarketplace, sql: postgres.Sql, count: number): Promise<void> {
  const bought = []
  for (let index = 0; index < count; index++) {
    const { licenseArn, accountId } = await marketplace.buy({ product })
    bought.push({ id: `meter-${index}`, arn: licenseArn, key: licenseArn.split(':').at(-1), account: accountId })
  }
  const json = JSON.stringify(bought)
  await sql`
    insert into orgs (id, name, slug)
    select id, id, id from jsonb_to_recordset(${json}::text::jsonb) as b (id text)`
  await sql`
    insert into aws_subscriptions (id, product_id, org_id, license_key, license_arn, customer_aws_account_id, source, status, starts_at)
    select b.id, p.id, b.id, b.key, b.arn, b.account, 'landing', 'active', now() - interval '2 days'
    from jsonb_to_recordset(${json}::text::jsonb) as b (id text, arn text, key text, account text)
    join aws_products p on p.product_code = ${product}`
}

/** Reports usage as an application does. */
async function report(server: RunningServer, headers: Record<string, string>, answers: number[]): Promise<void> {
  let sent = 0
  const client = async () => {
    for (let index = sent++; index < reports; index = sent++) {
      const startedAt = performance.now()
      const response = await fetch(`${server.url}/passport/entitlements/stage.hours/usage`, {
        method: 'POST',
        headers: { ...headers, 'idempotency-key': `report ${index}` },
        body: JSON.stringify({ orgId: `meter-${index % 100}`, quantity: 1 }),
      })
      if (response.status !== 201) throw new Error(`A report was answered with ${response.status}`)
      await response.body?.cancel()
      answers.push(performance.now() - startedAt)
    }
  }
  await Promise.all(Array.from({ length: reportsAtOnce }, client))
}

/** Adds closed usage of the last hours. */
async function addUsage(sql: postgres.Sql, count: number): Promise<void> {
  const newest = new Date(Math.floor(Date.now() / hourMs) * hourMs - 2 * hourMs).toISOString()
  await sql`
    insert into entitlement_usage (id, entitlement_id, org_id, hour, quantity, subscription_id, closed_at)
    select 'row-' || n, e.id, 'meter-' || (n / ${hoursPerMeter}::int), ${newest}::timestamptz - make_interval(hours => n % ${hoursPerMeter}::int),
      1 + n % 7, 'meter-' || (n / ${hoursPerMeter}::int), now()
    from generate_series(0, ${count - 1}::int) as n, entitlements e where e.key = 'stage.hours'`
}

async function countOpen(sql: postgres.Sql): Promise<number> {
  const [row] = await sql`
    select (select count(*) from aws_usage where status in ('pending', 'sent'))
      + (select count(*) from entitlement_usage where closed_at is not null and metered_at is null) as count`
  return Number(row?.['count'] ?? 0)
}
