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

const eventKey = 'the-key-of-the-connection-in-EventBridge'
const perSecond = 300
const loadSeconds = 60
/** The statements are counted in a shorter run, because their plans are logged. */
const countedSeconds = 10
/** Each licence has four events; a tenth of the deliveries are repeated. */
const eventsOfLicense = 4
const repeatedShare = 0.1
/** Events arrive in any order within this many. */
const reordered = 200
const orgCount = 50
const retryMs = 1_000

/**
 * Delivers the events of pay-as-you-go subscriptions, from purchase to end, repeated and out of order, at 300 a second.
 * Half of the subscriptions belong to organisations, so that their grants follow.
 */
export async function measureMarketplaceEvents(): Promise<string> {
  const load = await run(loadSeconds, false)
  const counted = await run(countedSeconds, true)
  const perEvent = (seconds: number) => `${((seconds * 1000) / load.sent).toFixed(2)} ms`
  const total = load.serverCpu + load.databaseCpu
  const statements = counted.statements / counted.sent
  return formatTable([
    [`events in ${loadSeconds} s`, String(load.sent), `at ${perSecond}/s`, load.seconds < loadSeconds * 1.02],
    ['attempts without success, repeated', String(load.rejected)],
    ['lost', String(load.lost), '0', load.lost === 0],
    ['CPU of server and database, per event', perEvent(total), '≤ 2 ms', total / load.sent <= 0.002],
    ['  of the server', perEvent(load.serverCpu)],
    ['  of the database', perEvent(load.databaseCpu)],
    ['statements, per event', statements.toFixed(2), '≤ 3', statements <= 3],
    ['answer, p50', `${percentile(load.answers, 0.5).toFixed(1)} ms`],
    ['answer, p99', `${percentile(load.answers, 0.99).toFixed(1)} ms`, '≤ 1 s', percentile(load.answers, 0.99) <= 1000],
    ['applied after the last event', `${load.settledSeconds.toFixed(1)} s`],
  ])
}

interface Measured {
  sent: number
  seconds: number
  /** Licences that have not ended. */
  lost: number
  /** Attempts without success, by overload or a closed connection, after which the events were delivered again. */
  rejected: number
  serverCpu: number
  databaseCpu: number
  statements: number
  answers: number[]
  settledSeconds: number
}

async function run(seconds: number, countsStatements: boolean): Promise<Measured> {
  const dataDir = createDataDir()
  const home = join(dataDir, 'postgres')
  const marketplace = await startAwsMarketplace({
    fulfilmentUrl: 'http://localhost/unused',
    eventsUrl: 'http://localhost/unused',
    eventKey,
  })
  marketplace.setDelivery('held')
  const sql = postgres({ path: join(home, 'sockets/.s.PGSQL.5432'), user: 'passport', database: 'passport', max: 1 })
  const env = {
    DATA_DIR: dataDir,
    AWS_MARKETPLACE_REGION: 'us-east-1',
    AWS_MARKETPLACE_EVENT_KEYS: eventKey,
    ...marketplace.environment,
  }
  try {
    const first = await runServer(env)
    await prepare(first)
    await stop(first)
    if (countsStatements) logPlans(home)
    const server = await runServer(env)
    try {
      const total = perSecond * seconds
      const { deliveries, licenses } = await createDeliveries(marketplace, sql, total)
      let result: Measured | undefined
      const work = async () => {
        result = await deliverAll(server, sql, { deliveries, licenses, home })
      }
      const { statements } = countsStatements
        ? await measureQueryCost(home, work)
        : await work().then(() => ({ statements: 0 }))
      if (!result) throw new Error('Nothing was measured')
      return { ...result, statements }
    } finally {
      await sql.end()
      await stop(server)
    }
  } finally {
    await marketplace.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Creates the products, their entitlements, and organisations. */
async function prepare(server: RunningServer): Promise<void> {
  const headers = {
    cookie: await signIn(server.url, server.password),
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/json',
  }
  const post = (path: string, body: object) =>
    fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  await addToPassport(post)
  for (let index = 0; index < orgCount; index++) await post('/passport/admin/orgs', { name: `Company ${index}` })
}

/** Buys and ends subscriptions; returns the bodies of their events, repeated and in no order. */
async function createDeliveries(marketplace: RunningAwsMarketplace, sql: postgres.Sql, total: number) {
  const product = marketplace.products.find(({ pricingModel }) => pricingModel === 'subscription')
  const licenses: string[] = []
  const count = Math.floor((total * (1 - repeatedShare)) / eventsOfLicense)
  while (licenses.length < count) {
    const { agreementId, licenseArn, accountId } = await marketplace.buy({ product: product?.code ?? '' })
    await marketplace.cancel(agreementId)
    await marketplace.deprovision(agreementId)
    const licenseKey = licenseArn.split(':').at(-1) ?? ''
    licenses.push(licenseKey)
    if (licenses.length % 2 === 0)
      await sql`
        insert into aws_subscriptions (id, product_id, license_key, license_arn, customer_aws_account_id, source, org_id)
        select ${licenseKey}, id, ${licenseKey}, ${licenseArn}, ${accountId}, 'landing',
          (select id from orgs order by id offset ${licenses.length % orgCount} limit 1)
        from aws_products where product_code = ${product?.code ?? ''}`
  }
  const bodies = marketplace.events().map(({ body }) => JSON.stringify(body))
  while (bodies.length < total) {
    const place = Math.floor(Math.random() * bodies.length)
    bodies.splice(place, 0, bodies[place] ?? '')
  }
  const deliveries = Array.from({ length: Math.ceil(bodies.length / reordered) }, (_, block) =>
    shuffle(bodies.slice(block * reordered, (block + 1) * reordered)),
  ).flat()
  return { deliveries, licenses }
}

function shuffle<T>(items: T[]): T[] {
  return items
    .map((item) => ({ item, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item)
}

interface Load {
  deliveries: string[]
  licenses: string[]
  home: string
}

async function deliverAll(
  server: RunningServer,
  sql: postgres.Sql,
  { deliveries, licenses, home }: Load,
): Promise<Measured> {
  const answers: number[] = []
  let rejected = 0
  const post = async (body: string): Promise<number> => {
    const startedAt = performance.now()
    const status = await fetch(`${server.url}/passport/licensing/awsmarketplace/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-passport-webhook-key': eventKey },
      body,
    }).then(
      async (response) => {
        await response.body?.cancel()
        return response.status
      },
      // The server has closed an idle connection at the same moment.
      () => 0,
    )
    answers.push(performance.now() - startedAt)
    return status
  }
  // EventBridge repeats what the server rejects.
  const deliver = async (body: string) => {
    for (let status = await post(body); status !== 202; status = await post(body)) {
      if (status !== 503 && status !== 0) throw new Error(`An event was answered with ${status}`)
      rejected += 1
      await delay(retryMs)
    }
  }
  const serverCpu = readCpuSeconds(server.pid)
  const databaseCpu = readDatabaseCpuSeconds(home)
  const startedAt = performance.now()
  const pending: Promise<void>[] = []
  for (const [index, body] of deliveries.entries()) {
    const wait = startedAt + (index * 1000) / perSecond - performance.now()
    if (wait > 1) await delay(wait)
    pending.push(deliver(body))
  }
  await Promise.all(pending)
  const sentAt = performance.now()
  while ((await countReceived(sql)) > 0) await delay(100)
  const settledAt = performance.now()
  const [row] = await sql`
    select count(*)::integer as ended from aws_subscriptions where license_key = any(${licenses}) and status = 'ended'`
  return {
    sent: deliveries.length,
    seconds: (sentAt - startedAt) / 1000,
    lost: licenses.length - row?.['ended'],
    rejected,
    serverCpu: readCpuSeconds(server.pid) - serverCpu,
    databaseCpu: readDatabaseCpuSeconds(home) - databaseCpu,
    statements: 0,
    answers,
    settledSeconds: (settledAt - sentAt) / 1000,
  }
}

async function countReceived(sql: postgres.Sql): Promise<number> {
  const [row] = await sql`select count(*)::integer as count from aws_events where status = 'received'`
  return row?.['count'] ?? 0
}
