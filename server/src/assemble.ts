import { traceDays } from '@passport/contract/sign-in-traces'
import { sweepSessions } from './accounts/end-sessions.ts'
import { findCallerBySession } from './accounts/identify-session.ts'
import * as sessions from './accounts/session-store.ts'
import { createApp } from './app.ts'
import * as audit from './audit/store.ts'
import { cacheBranding } from './branding/brands.ts'
import { sweepFiles as sweepBrandingFiles } from './branding/store.ts'
import { cacheClients } from './clients/cache.ts'
import { createCallRecorder } from './clients/calls.ts'
import { registerClients } from './clients/registered.ts'
import { createUseRecorder } from './clients/uses.ts'
import type { Config } from './config.ts'
import { sweepMoves } from './connections/move-store.ts'
import { cacheContents } from './content/published.ts'
import { cacheAllowedOrigins } from './cors/allowed-origins.ts'
import { type Job, readLastSuccesses, sweepAll } from './database/jobs.ts'
import { countWaiting } from './database/pool.ts'
import type { Sql } from './database/sql.ts'
import * as deviceAuthorization from './device-authorization/store.ts'
import { cacheEnabledTenants } from './discovery/enabled-tenants.ts'
import * as enrolmentLinks from './enrolment/store.ts'
import { closeHours } from './entitlements/usage-store.ts'
import { checkConsents } from './entra/check-consents.ts'
import { sweepLinks } from './entra/consent-store.ts'
import type { Services } from './feature.ts'
import { sweepTombstones } from './groups/store.ts'
import { foldActivity } from './health/fold-activity.ts'
import { createInstance } from './health/instance.ts'
import { createMonitor } from './health/monitor.ts'
import { recordSamples } from './health/sample.ts'
import { readPassing } from './health/store.ts'
import { createActivity } from './http/activity.ts'
import { type AppFiles, readAppFiles } from './http/app-files.ts'
import type { Identify } from './http/caller.ts'
import { sweepCounters } from './http/counters.ts'
import { createHttpClient } from './http/http-client.ts'
import { createHttpContext } from './http/http-context.ts'
import { sweepKeys } from './http/idempotency-store.ts'
import type { Listening } from './http/listen.ts'
import { createMetrics, type OtherProcesses } from './http/metrics.ts'
import { cacheIdentityApis } from './identity-apis/cache.ts'
import { registerBuiltInApi } from './identity-apis/registered.ts'
import { createUpstreams } from './identity-providers/upstreams.ts'
import { readVersion } from './info/build.ts'
import { cacheDemoUsers } from './local-directory/demo-user-names.ts'
import { sweepSignUps } from './local-directory/sign-up-store.ts'
import type { Log } from './log.ts'
import { sweepBrowsers } from './login/browser-store.ts'
import { sweepSpentAttempts } from './login/store.ts'
import { createDelivery, type Deliver, deliverMailOnNotification } from './mail/deliver.ts'
import { readQueue, sweepContents, sweep as sweepMails } from './mail/store.ts'
import { applyEventsOnNotification, compareWithAws, runMarketplace } from './marketplace/apply-events.ts'
import { sendBuyerMails } from './marketplace/buyer-mails.ts'
import { createMetering } from './marketplace/meter-usage.ts'
import { pollQueues } from './marketplace/poll-queues.ts'
import { readQueues } from './marketplace/queue-store.ts'
import { sweepRegistrations } from './marketplace/registration-store.ts'
import { nameQueue } from './marketplace/sqs.ts'
import { readBacklog } from './marketplace/usage-store.ts'
import { sweep as sweepNotices } from './notices/store.ts'
import { audienceOf } from './oauth/access-token.ts'
import { recheckDomains } from './orgs/recheck-domains.ts'
import { createTxtResolver } from './orgs/txt-records.ts'
import { sweepLog } from './permissions/commit-store.ts'
import { openConfiguredEngine } from './permissions/engine.ts'
import { sweepExpired } from './permissions/store.ts'
import { findCallerByPersonalToken } from './personal-tokens/identify.ts'
import { createPersonalTokenIntrospection } from './personal-tokens/introspect.ts'
import { remindOfExpiry } from './personal-tokens/remind.ts'
import * as personalTokens from './personal-tokens/store.ts'
import { sweepVersions } from './preferences/store.ts'
import { personalTokenForm } from './prefixed-token.ts'
import { sweepFiles } from './profile/avatar-store.ts'
import { sweepReleases } from './profile/change.ts'
import { createForeignTokenReader } from './provider/authority.ts'
import { deliverLogoutNotices, deliverOnNotification, sweepLogoutNotices } from './provider/back-channel.ts'
import { createBearerReader } from './provider/bearer.ts'
import { cacheClientTokens } from './provider/client-token.ts'
import { rotateAllKeys } from './provider/keys.ts'
import { createPassportIssuer } from './provider/passport-issuer.ts'
import { createRequestStore } from './provider/request-store.ts'
import { sweepArtifacts } from './provider/store.ts'
import { resealAll } from './reseal.ts'
import { sweepRequests, sweepTokens } from './scim/store.ts'
import { findCallerBySetupLink } from './setup/open.ts'
import * as setupLinks from './setup/store.ts'
import { createTraceRecorder } from './sign-in-traces/recorder.ts'
import * as signInTraces from './sign-in-traces/store.ts'
import { purgeTrash } from './trash/purge.ts'
import * as userBulk from './users/bulk-store.ts'
import * as userImports from './users/import-store.ts'
import { resumeImports } from './users/run-import.ts'
import type { Vault } from './vault.ts'

interface Dependencies {
  config: Config
  sql: Sql
  /** The pool for background jobs; defaults to that of requests. */
  background?: Sql
  vault: Vault
  log: Log
  /** The listener of this process; its URL is used for requests to itself. */
  listener: Pick<Listening, 'ownUrl' | 'stopping' | 'closing'>
  /** The other processes behind the same port, if there are any. */
  otherProcesses?: OtherProcesses | undefined
  appFiles?: AppFiles
}

/** Creates the services, the routes and the background jobs. */
export async function assemble({
  config,
  sql,
  background = sql,
  vault,
  log,
  listener,
  otherProcesses,
  appFiles,
}: Dependencies) {
  await rotateAllKeys(sql, vault)
  await registerClients(sql, config)
  await registerBuiltInApi(sql, audienceOf(config.publicUrl))
  const files = appFiles ?? readAppFiles(new URL('../../web/dist/', import.meta.url))
  const httpClient = createHttpClient(config, listener.ownUrl)
  const identify: Identify = {
    bySession: (token) => findCallerBySession(sql, token),
    byToken: (presented) =>
      personalTokenForm.hasPrefix(presented.token)
        ? findCallerByPersonalToken(sql, presented)
        : readAccessToken(presented),
    bySetupLink: (cookie) => findCallerBySetupLink(sql, cookie),
    recordActivity: async ({ session, personalToken }, { ip }) => {
      if (session) await sessions.touch(sql, session)
      if (personalToken) await personalTokens.recordUse(sql, personalToken, ip)
    },
    recordClientCall: createCallRecorder(sql),
  }
  const branding = await cacheBranding(sql, log, config)
  const allowedOrigins = await cacheAllowedOrigins(sql, log, config)
  const [readBrand, readOrigins] = [branding.current, allowedOrigins.current]
  const http = createHttpContext({
    config,
    sql,
    identify,
    readBrand,
    readOrigins,
    log,
    stylesheet: files.pageStylesheet,
  })
  const clients = await cacheClients(sql, log)
  const clientTokens = await cacheClientTokens(sql, log)
  const apis = await cacheIdentityApis(sql, log)
  const contents = await cacheContents(sql, log, config.publicUrl)
  const { publicUrl } = config
  const { stopping, closing } = listener
  const traces = createTraceRecorder(background, log, closing)
  const uses = createUseRecorder(sql, log)
  const introspectPersonalToken = createPersonalTokenIntrospection({ sql, clients, apis, publicUrl })
  const issuer = createPassportIssuer(sql, vault)
  const readAccessToken = config.authority
    ? createForeignTokenReader(sql, httpClient, config.authority, audienceOf(publicUrl))
    : createBearerReader({ sql, clients, clientTokens, issuer, publicUrl })
  await deliverOnNotification({ sql, clients, issuer, httpClient, config, log })
  const deliverMail = createDelivery({ config, sql: background, vault, log })
  if (deliverMail) await deliverMailOnNotification(sql, deliverMail, log)
  const upstreams = createUpstreams(config, httpClient)
  const enabledTenants = await cacheEnabledTenants(sql, log, config)
  const listDemoUsers = await cacheDemoUsers(sql, log, config)
  const metrics = createMetrics(otherProcesses)
  const activity = createActivity()
  metrics.addGauge(
    'passport_db_waiting',
    'Statements and transactions waiting for a connection, or behind a statement of more than a second',
    () => countWaiting(sql),
    { isOfProcess: true },
  )
  const successHelp = 'Seconds since a job last succeeded, on any server'
  metrics.addGaugeBy('job', 'passport_job_last_success_seconds', successHelp, () => readLastSuccesses(sql))
  const mailHelp = 'Age of the oldest email in the queue'
  metrics.addGauge('passport_mail_oldest_seconds', mailHelp, async () => (await readQueue(sql)).oldestSeconds)
  metrics.addGauge(
    'passport_metering_oldest_seconds',
    'Time for which the oldest closed hour waits to be sent to AWS Marketplace',
    async () => (await readBacklog(sql)).oldestSeconds,
  )
  metrics.addGauge(
    'passport_metering_refused',
    'Hours of the last day whose usage AWS Marketplace refused',
    async () => (await readBacklog(sql)).refused,
  )
  const queueNames = (config.awsMarketplace?.queueUrls ?? []).map(nameQueue)
  const queueHelp = 'Seconds since events were last read from a queue of SQS, on any server'
  metrics.addGaugeBy('queue', 'passport_queue_last_poll_seconds', queueHelp, async () => {
    const queues = queueNames.length > 0 ? await readQueues(sql, queueNames) : []
    return new Map(queues.map(({ name, seconds }) => [name, seconds]))
  })
  const checkHelp = 'Whether a check of the health page passes (1), even if slowly, or fails (0)'
  metrics.addGaugeBy('check', 'passport_check_up', checkHelp, () => readPassing(sql))
  const permissions = await openConfiguredEngine(config, { sql, background, log, version: readVersion() })
  const services: Services = {
    config,
    http,
    httpClient,
    sql,
    vault,
    log,
    metrics,
    activity,
    upstreams,
    enabledTenants,
    listDemoUsers,
    branding,
    allowedOrigins,
    clients,
    clientTokens,
    uses,
    apis,
    contents,
    issuer,
    requests: createRequestStore(sql, vault),
    introspectPersonalToken,
    permissions,
    jobNames: () => jobs.map(({ name }) => name),
    traces,
    stopping,
    closing,
  }
  const meter = createMetering({ ...services, sql: background })
  const jobs = createJobs({ ...services, sql: background }, { deliverMail, meter })
  if (config.awsMarketplace) await applyEventsOnNotification({ ...services, sql: background }, meter)
  pollQueues({ ...services, sql: background })
  return {
    ...createApp(services, files),
    services,
    jobs,
    instance: createInstance(background, activity, log),
  }
}

/** The oldest traces beyond this number are deleted before they are 30 days old. */
const maxTraces = 2_000_000

interface Workers {
  deliverMail: Deliver | undefined
  /** Meters in the background. */
  meter: () => void
}

function createJobs(services: Services, { deliverMail, meter }: Workers): Job[] {
  const { sql, vault, log, config } = services
  const sweeps = [
    deviceAuthorization.sweep,
    sweepSessions,
    sweepArtifacts,
    sweepLogoutNotices,
    sweepSpentAttempts,
    sweepSignUps,
    sweepCounters,
    sweepKeys,
    sweepTombstones,
    sweepReleases,
    personalTokens.sweep,
    sweepTokens,
    sweepRequests,
    sweepMoves,
    sweepBrowsers,
    sweepNotices,
    userBulk.sweep,
    sweepMails,
    sweepContents,
    sweepExpired,
    sweepLog,
    sweepVersions,
    sweepLinks,
    sweepRegistrations,
    setupLinks.sweep,
    enrolmentLinks.sweep,
    (sql: Sql, limit: number) => signInTraces.sweep(sql, traceDays, limit),
  ]
  const monitor = createMonitor(services)
  return [
    {
      name: 'sweep',
      everySeconds: 5 * 60,
      run: async () => {
        for (const sweep of sweeps) await sweepAll((limit) => sweep(sql, limit))
        await sweepAll((limit) => userImports.sweep(sql, limit), 10)
        await sweepAll((limit) => sweepFiles(sql, limit), 10)
        await sweepAll((limit) => sweepBrandingFiles(sql, limit), 10)
      },
    },
    { name: 'user-imports', everySeconds: 30, leaseSeconds: 30, run: () => resumeImports(sql) },
    ...(deliverMail ? [{ name: 'mail', everySeconds: 60, run: deliverMail }] : []),
    { name: 'buyer-mails', everySeconds: 60, run: () => sendBuyerMails(services) },
    { name: 'remind-of-expiry', everySeconds: 60 * 60, run: () => remindOfExpiry(services) },
    { name: 'close-usage', everySeconds: 60, run: () => sweepAll((limit) => closeHours(sql, limit)) },
    { name: 'logout-notices', everySeconds: 60, run: () => deliverLogoutNotices(services) },
    {
      name: 'recheck-domains',
      everySeconds: 60 * 60,
      run: () => recheckDomains(sql, createTxtResolver(config.dnsResolver)),
    },
    {
      name: 'rotate-keys',
      everySeconds: 60 * 60,
      run: () => rotateAllKeys(sql, vault),
    },
    ...(config.oldSecrets.length > 0 ? [createResealJob(sql, vault, log)] : []),
    { name: 'check-consents', everySeconds: 24 * 60 * 60, run: () => checkConsents(services) },
    ...(config.awsMarketplace
      ? [
          { name: 'aws-marketplace', everySeconds: 30, leaseSeconds: 120, run: () => runMarketplace(services) },
          { name: 'aws-metering', everySeconds: 30, run: async () => meter() },
          { name: 'aws-comparison', everySeconds: 24 * 60 * 60, run: () => compareWithAws(services) },
        ]
      : []),
    { name: 'fold-activity', everySeconds: 60 * 60, run: () => foldActivity(sql) },
    { name: 'purge-audit', everySeconds: 24 * 60 * 60, run: () => audit.purge(sql) },
    {
      name: 'trim-traces',
      everySeconds: 60 * 60,
      run: () => sweepAll((limit) => signInTraces.trim(sql, maxTraces, limit)),
    },
    { name: 'purge-trash', everySeconds: 24 * 60 * 60, run: () => purgeTrash(sql) },
    // Last, when the other jobs of the round have run, and less than a minute, because rounds take 30 s.
    { name: 'health', everySeconds: 50, leaseSeconds: 60, run: () => recordSamples(sql, monitor) },
  ]
}

const createResealJob = (sql: Sql, vault: Vault, log: Log): Job => ({
  name: 'reseal',
  everySeconds: 10 * 60,
  run: async () => {
    const count = await resealAll(sql, vault)
    if (count > 0) log.info({ count }, 'resealed')
  },
})
