import { resolve } from 'node:path'
import { showWelcome } from '../banner.ts'
import { loadConfig } from '../config.ts'
import { startEmbeddedPostgres } from '../database/embedded.ts'
import { createRestartListener } from '../database/report-restarts.ts'
import { probePort } from '../http/listen.ts'
import { createLog } from '../log.ts'
import { createWorkers } from './workers.ts'

interface RunningPrimary {
  publicUrl: string
  /** Resolves when the embedded database cannot continue; the log has the reason. */
  failed: Promise<void>
  /** Drains and stops the workers, then the embedded database. */
  stop: (skipDrain: AbortSignal) => Promise<void>
}

/** The connections of a worker to the embedded database, with some left over. */
const connectionsOfWorker = 20

/**
 * Starts several server processes behind one port, and the embedded PostgreSQL for all of them. This process handles no
 * request: it distributes connections and replaces workers. Throws like `start`, and `WorkerEnded`.
 */
export async function startPrimary(
  env: Record<string, string | undefined>,
  stopping: AbortSignal,
): Promise<RunningPrimary> {
  const startedAt = performance.now()
  const settings = loadConfig(env)
  const port = String(await probePort(settings.port, settings.host))
  const config = loadConfig({ ...env, PORT: port })
  const log = createLog(config.logLevel)
  const { promise: failed, resolve: fail } = Promise.withResolvers<void>()
  const count = config.webConcurrency
  const database = config.databaseUrl
    ? undefined
    : await startEmbeddedPostgres(resolve(config.dataDir), {
        // One worker more, while they are restarted.
        maxConnections: Math.max(50, (count + 1) * connectionsOfWorker + 10),
        onNotice: (line) => log.info(line),
        restartListener: createRestartListener(log, fail),
        stopping,
      })
  const workers = createWorkers({ count, env: { PORT: port }, drainMs: config.drainSeconds * 1000, log })
  const stop = async (skipDrain: AbortSignal) => {
    process.off('SIGUSR2', workers.restart)
    await workers.stop(skipDrain)
    await database?.stop()
  }
  const abort = () => void workers.stop(stopping)
  stopping.addEventListener('abort', abort, { once: true })
  try {
    stopping.throwIfAborted()
    const password = await workers.start()
    stopping.throwIfAborted()
    process.on('SIGUSR2', workers.restart)
    showWelcome({
      config,
      log,
      password,
      databaseDirectory: database?.paths.directory,
      seconds: (performance.now() - startedAt) / 1000,
    })
    return { publicUrl: config.publicUrl, failed, stop }
  } catch (error) {
    await stop(AbortSignal.abort())
    throw stopping.aborted ? stopping.reason : error
  } finally {
    stopping.removeEventListener('abort', abort)
  }
}
