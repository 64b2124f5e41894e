import { createApp } from './app.ts'
import * as audit from './audit/store.ts'
import { purgeBin } from './bin/purge.ts'
import { cacheClients } from './clients/cache.ts'
import { registerClients } from './clients/registered.ts'
import type { Config } from './config.ts'
import { type Job, sweepAll } from './database/jobs.ts'
import type { Sql } from './database/sql.ts'
import * as deviceAuthorization from './device-authorization/store.ts'
import { sweepDepartures } from './groups/store.ts'
import { type AppFiles, readAppFiles } from './http/app-files.ts'
import type { Identify } from './http/caller.ts'
import { createDoor } from './http/door.ts'
import { sweepKeys } from './http/idempotency-store.ts'
import type { Listening } from './http/listen.ts'
import type { Log } from './http/log.ts'
import { createMetrics } from './http/metrics.ts'
import { sweepCounters } from './http/rate-limit.ts'
import { createUpstreams } from './identity-providers/upstreams.ts'
import { readVersion } from './info/build.ts'
import { sweepSpentAttempts } from './login/store.ts'
import { createDelivery, type Deliver, deliverMailAtOnce } from './mail/deliver.ts'
import { sweep as sweepMails } from './mail/store.ts'
import { recheckDomains } from './org-domains/recheck.ts'
import { txtRecords } from './org-domains/txt-records.ts'
import { chooseEngine } from './permissions/choose-engine.ts'
import { sweepLog } from './permissions/commit-store.ts'
import { sweepExpired } from './permissions/store.ts'
import { sweepReleases } from './profile/change.ts'
import { audienceOf } from './provider/access-token.ts'
import { foreignTokens } from './provider/authority.ts'
import { deliverAtOnce, deliverLogoutNotices } from './provider/back-channel.ts'
import { bearerReader } from './provider/bearer.ts'
import { rotateAllKeys } from './provider/keys.ts'
import { createPassportIssuer } from './provider/passport-issuer.ts'
import { sweepArtifacts } from './provider/store.ts'
import type { Services } from './room.ts'
import { sweepSessions } from './sessions/end.ts'
import { callerBySession } from './sessions/identify.ts'
import * as sessions from './sessions/store.ts'
import * as userBulk from './user-bulk/store.ts'
import * as userImports from './user-imports/store.ts'
import { resumeImports } from './user-imports/work.ts'
import type { Vault } from './vault.ts'

interface Given {
  config: Config
  sql: Sql
  vault: Vault
  log: Log
  /** Where this process listens: its address is for what it must ask itself. */
  listening: Pick<Listening, 'address' | 'stopping'>
  appFiles?: AppFiles
}

/** Puts the service together: what its rooms are given, its routes, and the work that repeats. */
export async function assemble({ config, sql, vault, log, listening, appFiles }: Given) {
  await rotateAllKeys(sql, vault)
  await registerClients(sql, config)
  const files = appFiles ?? readAppFiles(new URL('../../web/dist/', import.meta.url))
  const identify: Identify = {
    bySession: (token) => callerBySession(sql, token),
    byToken: config.authority
      ? foreignTokens(sql, config.authority, audienceOf(config.publicUrl))
      : (presented) => readBearer(presented),
    seen: ({ session }) => (session ? sessions.touch(sql, session) : Promise.resolve()),
  }
  const door = createDoor({ config, sql, identify, log, stylesheet: files.pageStylesheet })
  const clients = await cacheClients(sql, log)
  const issuer = createPassportIssuer({ config, door, sql, vault, clients })
  const readBearer = bearerReader({ sql, clients, issuer, publicUrl: config.publicUrl })
  await deliverAtOnce(sql, issuer, log)
  const deliverMail = createDelivery({ config, sql, vault, log })
  if (deliverMail) await deliverMailAtOnce(sql, deliverMail, log)
  const upstreams = createUpstreams(config, vault, listening.address)
  const metrics = createMetrics()
  const { stopping } = listening
  const permissions = await chooseEngine(config, { sql, log, version: readVersion() })
  const services: Services = {
    config,
    door,
    sql,
    vault,
    log,
    metrics,
    upstreams,
    clients,
    issuer,
    permissions,
    stopping,
  }
  return { app: createApp(services, files), services, jobs: jobsOf(services, deliverMail) }
}

function jobsOf({ sql, vault, issuer, log, config }: Services, deliverMail: Deliver | undefined): Job[] {
  const sweeps = [
    deviceAuthorization.sweep,
    sweepSessions,
    sweepArtifacts,
    sweepSpentAttempts,
    sweepCounters,
    sweepKeys,
    sweepDepartures,
    sweepReleases,
    userBulk.sweep,
    sweepMails,
    sweepExpired,
    sweepLog,
  ]
  return [
    {
      name: 'sweep',
      everySeconds: 5 * 60,
      run: async () => {
        for (const sweep of sweeps) await sweepAll((limit) => sweep(sql, limit))
        await sweepAll((limit) => userImports.sweep(sql, limit), 10)
      },
    },
    { name: 'user-imports', everySeconds: 30, leaseSeconds: 30, run: () => resumeImports(sql) },
    ...(deliverMail ? [{ name: 'mail', everySeconds: 60, run: deliverMail }] : []),
    { name: 'logout-notices', everySeconds: 60, run: () => deliverLogoutNotices(sql, issuer, log) },
    { name: 'recheck-domains', everySeconds: 60 * 60, run: () => recheckDomains(sql, txtRecords(config.dnsResolver)) },
    {
      name: 'rotate-keys',
      everySeconds: 60 * 60,
      run: () => rotateAllKeys(sql, vault),
    },
    { name: 'purge-audit', everySeconds: 24 * 60 * 60, run: () => audit.purge(sql) },
    { name: 'purge-bin', everySeconds: 24 * 60 * 60, run: () => purgeBin(sql) },
  ]
}
