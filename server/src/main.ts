import { once } from 'node:events'
import { findWorker, type Worker } from './cluster/worker.ts'
import { WorkerEnded } from './cluster/workers.ts'
import { ConfigError, loadConfig } from './config.ts'
import { outliveLostConnections } from './database/lost-connection.ts'
import { isDatabaseUnavailable } from './database/sql.ts'
import { describeUnexpected } from './failure.ts'
import { PortUnavailable } from './http/listen.ts'
import type { RunningServer } from './start.ts'

// A signal during the start aborts it. SIGTERM, which service managers send, drains a running server. The others are
// those of a terminal, whose user does not want to wait, and so is a second SIGTERM. Further signals have no effect, so
// that PostgreSQL is always stopped.
const stopping = new AbortController()
const skipDrain = new AbortController()
process.on('SIGTERM', () => {
  if (stopping.signal.aborted) skipDrain.abort()
  stopping.abort()
})
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, stopAtOnce)

function stopAtOnce() {
  skipDrain.abort()
  stopping.abort()
}

outliveLostConnections((error) => console.error(isDatabaseUnavailable(error) ? error.message : error))

// Expected errors are printed without a stack; any other error is a bug.
try {
  const worker = findWorker(process.env, { drain: () => stopping.abort(), stop: stopAtOnce })
  await (worker ? runWorker(worker) : runUntilStopped(await startServer()))
  process.exit(stopping.signal.aborted ? 0 : 1)
} catch (error) {
  if (error === stopping.signal.reason) process.exit(0)
  // It has printed the reason.
  if (error instanceof WorkerEnded) process.exit(1)
  const isExpected = error instanceof ConfigError || error instanceof PortUnavailable
  const reason = isExpected ? error.message : describeUnexpected(error, process.env)
  console.error(`\nPassport cannot start.\n${reason.replace(/^/gm, '  ')}\n`)
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
  await waitForEnd(server)
  await server.stop(skipDrain.signal)
}

async function runWorker(worker: Worker): Promise<void> {
  const { start } = await import('./start.ts')
  const server = await start(process.env, stopping.signal, worker)
  const isReplaced = await Promise.race([waitForEnd(server), worker.replaced.then(() => true)])
  await (isReplaced ? server.handOver() : server.stop(skipDrain.signal))
  // An orderly end, by whatever it was caused.
  stopping.abort()
}

/** Resolves when a server has to stop, or cannot continue. */
async function waitForEnd({ failed }: RunningServer): Promise<void> {
  void failed.then(() => skipDrain.abort())
  await Promise.race([stopping.signal.aborted ? [] : once(stopping.signal, 'abort'), failed])
}
