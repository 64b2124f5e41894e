import { once } from 'node:events'
import { ConfigError } from './config.ts'
import { outliveLostConnections } from './database/lost-connection.ts'
import { isDatabaseUnavailable } from './database/sql.ts'
import { PortTaken } from './http/listen.ts'
import { start } from './start.ts'

/** Signals during the start end it too; further signals have no effect, so that PostgreSQL is always stopped. */
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort())

outliveLostConnections((error) => console.error(isDatabaseUnavailable(error) ? error.message : error))

/** Expected failures are printed as one line; anything else is a bug and prints its stack. */
try {
  const server = await start(process.env, stopping.signal)
  const stopped = stopping.signal.aborted ? [] : once(stopping.signal, 'abort')
  await Promise.race([stopped, server.failed])
  await server.stop()
  process.exit(stopping.signal.aborted ? 0 : 1)
} catch (error) {
  if (error === stopping.signal.reason) process.exit(0)
  const isExpected = error instanceof ConfigError || error instanceof PortTaken
  console.error(isExpected ? `\nPassport cannot start.\n${error.message.replace(/^/gm, '  ')}\n` : error)
  process.exit(1)
}
