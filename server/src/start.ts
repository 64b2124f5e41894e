import { setTimeout as delay } from 'node:timers/promises'
import { assemble } from './assemble.ts'
import { showWelcome } from './banner.ts'
import type { Worker } from './cluster/worker.ts'
import { type Config, ConfigError, loadConfig } from './config.ts'
import { startJobs } from './database/jobs.ts'
import { migrate, rejectOtherSchema } from './database/migrate.ts'
import { openOwnDatabase, openRunningDatabase } from './database/open.ts'
import { createRestartListener } from './database/report-restarts.ts'
import type { Sql } from './database/sql.ts'
import { explainStartFailure } from './database/start-failure.ts'
import { ownUrlOf, type PreparedListening, prepareToListen, probePort, shutdownTimeoutMs } from './http/listen.ts'
import { listDemoUsers } from './local-directory/store.ts'
import { createLog } from './log.ts'
import { reportOldSecrets } from './reseal.ts'
import { openVault, sealProbe } from './secret-probe.ts'
import { allowsDemoUsers, seedDemoUsers } from './seed/demo-users.ts'

const migrations = new URL('../migrations/', import.meta.url)

/** The time for the last activity: an unresponsive database must not delay the end. */
const lastBeatMs = 2_000

export interface RunningServer {
  publicUrl: string
  /** Resolves when the server cannot continue; the log has the reason. */
  failed: Promise<void>
  /**
   * Serves requests for the time of `DRAIN_SECONDS`, unless `skipDrain` is or gets aborted. Then closes the connections
   * and stops the embedded database.
   */
  stop: (skipDrain: AbortSignal) => Promise<void>
}

/** A server process that can also leave its port to another one. */
interface RunningProcess extends RunningServer {
  handOver: () => Promise<void>
}

/**
 * Starts the server with the settings of the environment; resolves when it is ready. It opens the port only then: a load
 * balancer takes an open one for a server that works. A worker uses the database that its primary process has started.
 * Throws `ConfigError`, `PortUnavailable` or the abort reason of `stopping`, after stopping what was already started.
 */
export async function start(
  env: Record<string, string | undefined>,
  stopping: AbortSignal = new AbortController().signal,
  worker?: Worker,
): Promise<RunningProcess> {
  const startedAt = performance.now()
  const settings = loadConfig(env)
  const prepared = prepareToListen(settings.port, settings.host, settings.publicUrl)
  const port = worker ? settings.port : await findPort(settings, prepared)
  const listening = { ...prepared, port, ownUrl: ownUrlOf(settings.host, port) }
  const config = loadConfig({ ...env, PORT: String(port) })
  const log = createLog(config.logLevel, worker?.place)
  const { promise: failed, resolve: fail } = Promise.withResolvers<void>()
  const database = worker
    ? await openRunningDatabase(config)
    : await openOwnDatabase(config, {
        onNotice: (line) => log.info(line),
        restartListener: createRestartListener(log, fail),
        stopping,
      })
  const { sql, background } = database
  try {
    stopping.throwIfAborted()
    // Both checks run before anything is changed.
    await rejectOtherSchema(sql, migrations)
    const vault = await openVault(sql, config)
    await migrate(background, migrations, { log })
    const sealedAt = await sealProbe(sql, vault, config)
    await rejectPublicDemoUsers(sql, config)
    const password = allowsDemoUsers(config) ? await seedDemoUsers(sql) : undefined
    const { app, services, jobs, instance, ...parts } = await assemble({
      sql,
      background,
      config,
      vault,
      log,
      listener: listening,
      otherProcesses: worker?.otherProcesses,
    })
    stopping.throwIfAborted()
    listening.useApp(app, parts)
    if (settings.port !== 0) await listening.open()
    const isFirst = worker === undefined || worker.place === 1
    if (config.oldSecrets.length > 0 && isFirst) await reportOldSecrets(sql, vault, sealedAt, log)
    const stopJobs = isFirst ? startJobs(background, jobs, log) : async () => {}
    const stopInstance = instance.start()
    const close = async (stopListening: () => Promise<void>) => {
      // A job that is cut off when the connections close runs again later.
      const jobsStopped = Promise.race([stopJobs(), delay(shutdownTimeoutMs, undefined, { ref: false })])
      await Promise.all([stopListening(), jobsStopped])
      await Promise.race([stopInstance(), delay(lastBeatMs, undefined, { ref: false })])
      await services.permissions.close()
      await database.close()
    }
    if (worker) worker.reportReady(services.metrics, password)
    else
      showWelcome({
        config,
        log,
        password,
        databaseDirectory: database.paths?.directory,
        seconds: (performance.now() - startedAt) / 1000,
      })
    return {
      publicUrl: config.publicUrl,
      failed,
      stop: (skipDrain) =>
        close(async () => {
          const { drainSeconds } = config
          if (drainSeconds > 0 && !skipDrain.aborted) log.info({ drainSeconds }, 'draining')
          await listening.drain(drainSeconds * 1000, skipDrain)
          await listening.stop()
        }),
      handOver: () => close(listening.handOver),
    }
  } catch (error) {
    await listening.stop()
    await database.close()
    throw explainStartFailure(error, database.paths)
  }
}

/**
 * Returns the port, after checking at once that it can be opened. A free one, for 0, is opened already: the default of
 * PUBLIC_URL depends on it. Throws `PortUnavailable`.
 */
const findPort = ({ port, host }: Config, prepared: PreparedListening): Promise<number> =>
  port === 0 ? prepared.open() : probePort(port, host)

/**
 * Throws `ConfigError` if a database with demo users is accessible to others: anyone who saw the terminal of the first
 * start may know their password.
 */
async function rejectPublicDemoUsers(sql: Sql, { isLoopback }: Config) {
  const names = isLoopback ? [] : await listDemoUsers(sql)
  if (names.length === 0) return
  throw new ConfigError([
    `The demo users (${names.join(', ')}) are in this database, and PUBLIC_URL or HOST makes it accessible to others.`,
    'Remove them first: npm run admin -- remove-demo-users',
  ])
}
