import { setTimeout as delay } from 'node:timers/promises'
import { assemble } from './assemble.ts'
import { showWelcome } from './banner.ts'
import { type Config, ConfigError, loadConfig } from './config.ts'
import { seedCast } from './database/cast.ts'
import { startJobs } from './database/jobs.ts'
import { migrate } from './database/migrate.ts'
import { openOwnDatabase } from './database/open.ts'
import type { Sql } from './database/sql.ts'
import { listen, patienceMs } from './http/listen.ts'
import { createLog } from './http/log.ts'
import { listCast } from './local-directory/store.ts'
import { readSecret } from './secret.ts'
import { createVault } from './vault.ts'

export interface RunningServer {
  publicUrl: string
  /** Stops taking requests, ends the connections, then the embedded database. */
  stop: () => Promise<void>
}

/**
 * Starts the server with the settings of the environment; resolves when it is ready. Throws `ConfigError`, and the
 * reason of `stopping` where that is aborted meanwhile; whatever was started is stopped then.
 */
export async function start(
  env: Record<string, string | undefined>,
  stopping: AbortSignal = new AbortController().signal,
): Promise<RunningServer> {
  const startedAt = performance.now()
  const given = loadConfig(env)
  const listening = await listen(given.port, given.host, given.publicUrl)
  // A port of 0 is a free one, which is known only now.
  const config = loadConfig({ ...env, PORT: String(listening.port) })
  const log = createLog(config.logLevel)
  const database = await openOwnDatabase(config)
  try {
    stopping.throwIfAborted()
    await migrate(database.sql, new URL('../migrations/', import.meta.url))
    await refuseCastInPublic(database.sql, config)
    const password = isForCast(config) ? await seedCast(database.sql) : undefined
    const vault = createVault(config.secret ?? readSecret(config.dataDir))
    const { app, services, jobs } = await assemble({ config, sql: database.sql, vault, log, listening })
    stopping.throwIfAborted()
    listening.answerWith(app)
    const stopJobs = startJobs(database.sql, jobs, log)
    showWelcome({ config, log, password, home: database.home, seconds: (performance.now() - startedAt) / 1000 })
    return {
      publicUrl: config.publicUrl,
      stop: async () => {
        // Work that repeats is done again where the end of the connections cuts it off.
        const jobsStopped = Promise.race([stopJobs(), delay(patienceMs, undefined, { ref: false })])
        await Promise.all([listening.stop(), jobsStopped])
        await services.permissions.close()
        await database.close()
      },
    }
  } catch (error) {
    await listening.stop()
    await database.close()
    throw error
  }
}

const isForCast = ({ isLoopback, identityProviders }: Config) =>
  isLoopback && identityProviders.some(({ kind }) => kind === 'local')

/** Their password may be known to whoever saw a terminal. */
async function refuseCastInPublic(sql: Sql, { isLoopback }: Config) {
  const names = isLoopback ? [] : await listCast(sql)
  if (names.length === 0) return
  throw new ConfigError([
    `The demonstration people (${names.join(', ')}) are in this database, and PUBLIC_URL or HOST lets others in.`,
    'Remove them first: npm run admin -- dismiss-cast',
  ])
}
