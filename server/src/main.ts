import { once } from 'node:events'
import { ConfigError } from './config.ts'
import { outliveLostConnections } from './database/lost-connection.ts'
import { isDatabaseUnavailable } from './database/sql.ts'
import { PortUnavailable } from './http/listen.ts'
import { start } from './start.ts'

// A signal during the start aborts it. Further signals have no effect, so that PostgreSQL is always stopped.
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort())

outliveLostConnections((error) => console.error(isDatabaseUnavailable(error) ? error.message : error))

// Expected errors are printed without a stack; any other error is a bug.
try {
  const server = await start(process.env, stopping.signal)
  const stopped = stopping.signal.aborted ? [] : once(stopping.signal, 'abort')
  await Promise.race([stopped, server.failed])
  await server.stop()
  process.exit(stopping.signal.aborted ? 0 : 1)
} catch (error) {
  if (error === stopping.signal.reason) process.exit(0)
  const isExpected = error instanceof ConfigError || error instanceof PortUnavailable
  console.error(isExpected ? `\nPassport cannot start.\n${error.message.replace(/^/gm, '  ')}\n` : error)
  process.exit(1)
}
