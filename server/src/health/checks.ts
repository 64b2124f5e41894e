import { createMeta } from '../connections/meta.ts'
import { listOverdue } from '../database/jobs.ts'
import { countWaiting } from '../database/pool.ts'
import type { Services } from '../feature.ts'
import { hasUsers } from '../local-directory/store.ts'
import { probeMailServer } from '../mail/deliver.ts'
import { readQueue } from '../mail/store.ts'
import { countUnreadable } from '../marketplace/event-store.ts'
import { findEnabledCode } from '../marketplace/product-store.ts'
import { readQueues } from '../marketplace/queue-store.ts'
import { nameQueue } from '../marketplace/sqs.ts'
import { readBacklog } from '../marketplace/usage-store.ts'
import { validateProduct } from '../marketplace/validate-product.ts'
import { readStorage } from '../profile/avatar-store.ts'
import { type Check, CheckFailure, describeFailure } from './check.ts'
import { probeKeys, readProvider } from './probe-provider.ts'

/** A job that is overdue for longer has failed, since it is tried again every 5 minutes. */
const maxOverdueMs = 10 * 60_000

type Dependencies = Pick<Services, 'sql' | 'config' | 'httpClient' | 'permissions' | 'log' | 'upstreams' | 'jobNames'>

/** Creates the checks of an installation, in the order of the page. */
export function createChecks(services: Dependencies): Check[] {
  const { sql, config, httpClient, permissions, upstreams } = services
  const { mail, meta, awsMarketplace, entraClouds, spiceDb } = config
  return [
    { name: 'postgres', limitMs: 250, run: () => checkDatabase(services) },
    { name: 'jobs', limitMs: 120_000, run: () => checkJobs(services) },
    { name: 'mail', limitMs: 2_000, setting: 'SMTP_URL', run: mail && (() => checkMail(services, mail.smtpUrl)) },
    ...upstreams.all.map(
      ({ id, kind, issuer }): Check => ({
        name: `idp:${id}`,
        limitMs: 1_000,
        setting: 'IDENTITY_PROVIDERS',
        run: async (signal) => {
          if (kind === 'local') return { detail: `Built in, ${(await hasUsers(sql)) ? 'with users' : 'without users'}` }
          await probeKeys(httpClient, await readProvider(httpClient, issuer, signal), signal)
          return { detail: 'Metadata and keys' }
        },
      }),
    ),
    {
      name: 'entra',
      limitMs: 1_500,
      setting: 'ENTRA_CLOUDS',
      run: entraClouds.length > 0 ? (signal) => checkClouds(services, signal) : undefined,
    },
    {
      name: 'aws-marketplace',
      limitMs: 2_000,
      setting: 'AWS_MARKETPLACE_REGION',
      run: awsMarketplace && (() => checkAws(services, awsMarketplace.region)),
    },
    { name: 'aws-metering', limitMs: 30 * 60_000, run: awsMarketplace && (() => checkMetering(services)) },
    {
      name: 'aws-queues',
      limitMs: 90_000,
      setting: 'AWS_MARKETPLACE_QUEUES',
      run: awsMarketplace && awsMarketplace.queueUrls.length > 0 ? () => checkQueues(services) : undefined,
    },
    {
      name: 'meta',
      limitMs: 1_500,
      setting: 'META_APP_ID',
      run:
        meta &&
        (() =>
          createMeta(meta, httpClient)
            .probe()
            .then(() => ({ detail: 'Meta Horizon' }), rejectMeta)),
    },
    {
      name: 'permissions',
      limitMs: 1_000,
      ...(spiceDb && { setting: 'SPICEDB_ENDPOINT' }),
      run: () => checkPermissions(permissions),
    },
    {
      name: 'media',
      limitMs: 250,
      run: async () => ({ detail: `${formatBytes((await readStorage(sql)).bytes)} in PostgreSQL` }),
    },
  ]
}

async function checkDatabase({ sql }: Dependencies) {
  const [row] = await sql<{ version: string }[]>`select current_setting('server_version') as version`
  const waiting = countWaiting(sql)
  const version = `Version ${row?.version.split(' ')[0]}`
  return { detail: waiting > 0 ? `${version}, ${waiting} statements waiting` : version }
}

/** The latency is how long the most overdue job has been due. */
async function checkJobs({ sql, jobNames }: Dependencies) {
  const names = jobNames()
  const [first] = await listOverdue(sql, names)
  if (!first) return { detail: `${names.length} jobs, none due`, latencyMs: 0 }
  const { name, overdueMs } = first
  if (overdueMs > maxOverdueMs) throw new CheckFailure(`The job ${name} is ${formatMinutes(overdueMs)} late`)
  return { detail: `${names.length} jobs, next ${name}`, latencyMs: overdueMs }
}

async function checkMail({ sql }: Dependencies, smtpUrl: string) {
  const startedAt = performance.now()
  await probeMailServer(smtpUrl, 3_000)
  const latencyMs = performance.now() - startedAt
  const { count, oldestSeconds } = await readQueue(sql)
  const queue =
    count === 0 ? 'No email waiting' : `${count} waiting, the oldest for ${formatMinutes(oldestSeconds * 1000)}`
  return { detail: queue, latencyMs }
}

/** Reads the metadata of each cloud, which has some for any organisation. */
async function checkClouds({ config: { entraClouds }, httpClient }: Dependencies, signal: AbortSignal) {
  const failures = await Promise.all(
    entraClouds.map(async ({ id, authority }) => {
      try {
        await readProvider(httpClient, `${authority}/organizations/v2.0`, signal, { hasOwnIssuer: false })
        return []
      } catch (error) {
        return [`${id}: ${describeFailure(error)}`]
      }
    }),
  )
  const failed = failures.flat()
  if (failed.length > 0) throw new CheckFailure(failed.join('; '))
  return { detail: entraClouds.map(({ id }) => id).join(', ') }
}

/** Reads the entitlements of an unknown account. Without a product, the code of none shows that AWS answers. */
async function checkAws(services: Dependencies, region: string) {
  const productCode = await findEnabledCode(services.sql)
  const { result } = await validateProduct(services, { productCode: productCode ?? 'none' })
  if (result === 'not-configured') throw new CheckFailure('No credentials for AWS')
  if (result === 'access-denied') throw new CheckFailure('AWS refused the credentials')
  if (result === 'unavailable') throw new CheckFailure('AWS did not answer')
  if (result === 'invalid-product-code' && productCode) throw new CheckFailure('AWS does not know an enabled product')
  return { detail: region }
}

/** Usage that waits for longer is at risk: AWS accepts it for a day. */
const maxMeteringMs = 3 * 60 * 60_000

/** The latency is the time for which the oldest closed hour has waited to be sent. */
async function checkMetering({ sql }: Dependencies) {
  const { oldestSeconds, refused } = await readBacklog(sql)
  const latencyMs = oldestSeconds * 1000
  if (latencyMs > maxMeteringMs) throw new CheckFailure(`Usage has waited for ${formatMinutes(latencyMs)}`)
  const hours = refused === 1 ? '1 hour' : `${refused} hours`
  return { detail: refused > 0 ? `AWS refused ${hours} of the last day` : 'Usage is sent', latencyMs }
}

/** Servers wait 20 s for messages. */
const maxSilentMs = 3 * 60_000

/**
 * The latency is the time since the queue was read that was read least recently. The first answer of an empty queue takes
 * 20 s, so that a server that has just started does not count the time before.
 */
async function checkQueues({ sql, config }: Dependencies) {
  const names = (config.awsMarketplace?.queueUrls ?? []).map(nameQueue)
  const queues = (await readQueues(sql, names)).toSorted((a, b) => b.seconds - a.seconds)
  const [silent] = queues
  const waited = silent?.error ? silent.seconds : Math.min(silent?.seconds ?? 0, process.uptime())
  const latencyMs = waited * 1000
  if (silent && latencyMs > maxSilentMs)
    throw new CheckFailure(`${silent.name} cannot be read${silent.error ? `: ${silent.error}` : ''}`)
  const unreadable = await countUnreadable(sql)
  const messages = unreadable === 1 ? '1 message' : `${unreadable} messages`
  const detail = unreadable > 0 ? `${names.join(', ')}; ${messages} of the last day cannot be read` : names.join(', ')
  return { detail, latencyMs }
}

/** Throws a failure that says whether Meta refused the app. */
function rejectMeta(error: unknown): never {
  if ((error as { code?: string }).code === 'meta-refused') throw new CheckFailure('Meta refused the app or its secret')
  throw error
}

/** The latency includes that of the relationships in memory behind those in the database. */
async function checkPermissions(permissions: Dependencies['permissions']) {
  const startedAt = performance.now()
  const { lag } = await permissions.status()
  const latencyMs = performance.now() - startedAt + (lag?.milliseconds ?? 0)
  if (permissions.kind === 'spicedb') return { detail: 'SpiceDB', latencyMs }
  return { detail: lag ? `${lag.commits} commits behind` : 'Loading the relationships', latencyMs }
}

const formatMinutes = (ms: number) => (ms < 90_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`)

const formatBytes = (bytes: number) => (bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`)
