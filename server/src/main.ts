import { once } from 'node:events'
import { findWorker, type Worker } from './cluster/worker.ts'
import { WorkerEnded } from './cluster/workers.ts'
import { ConfigError, loadConfig } from './config.ts'
import { outliveLostConnections } from './database/lost-connection.ts'
import { isDatabaseUnavailable } from './database/sql.ts'
import { PortUnavailable } from './http/listen.ts'
import type { RunningServer } from './start.ts'

// A signal during the start aborts it. Further signals have no effect, so that PostgreSQL is always stopped.
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort())

outliveLostConnections((error) => console.error(isDatabaseUnavailable(error) ? error.message : error))

// Expected errors are printed without a stack; any other error is a bug.
try {
  const worker = findWorker(process.env)
  await (worker ? runWorker(worker) : runUntilStopped(await startServer()))
  process.exit(stopping.signal.aborted ? 0 : 1)
} catch (error) {
  if (error === stopping.signal.reason) process.exit(0)
  // It has printed the reason.
  if (error instanceof WorkerEnded) process.exit(1)
  const isExpected = error instanceof ConfigError || error instanceof PortUnavailable
  console.error(isExpected ? `\nPassport cannot start.\n${error.message.replace(/^/gm, '  ')}\n` : error)
  process.exit(1)
}

/** Starts one process, or with WEB_CONCURRENCY several. What only a server process needs is not loaded by the primary. */
async function startServer(): Promise<RunningServer> {
  if (loadConfig(process.env).webConcurrency > 1) {
    const { startPrimary } = await import('./cluster/primary.ts')
    return startPrimary(process.env, stopping.signal)
  }
  const { start } = await import('./start.ts')
  return start(process.env, stopping.signal)
}

async function runUntilStopped(server: RunningServer): Promise<void> {
  const stopped = stopping.signal.aborted ? [] : once(stopping.signal, 'abort')
  await Promise.race([stopped, server.failed])
  await server.stop()
}

async function runWorker(worker: Worker): Promise<void> {
  worker.endRequest.then((how) => how === 'stop' && stopping.abort())
  const { start } = await import('./start.ts')
  const server = await start(process.env, stopping.signal, worker)
  const stopped = stopping.signal.aborted ? [] : once(stopping.signal, 'abort')
  const how = await Promise.race([worker.endRequest, stopped, server.failed])
  await (how === 'drain' ? server.drain() : server.stop())
  // An orderly end, by whatever it was caused.
  stopping.abort()
}
