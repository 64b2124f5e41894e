import { once } from 'node:events'
import { ConfigError } from './config.ts'
import { outliveLostConnections } from './database/lost-connection.ts'
import { PortTaken } from './http/listen.ts'
import { start } from './start.ts'

/** A signal that comes during the start ends it as well, and further ones change nothing: PostgreSQL is never left alone. */
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort())

outliveLostConnections((error) => console.error(error))

/** What stops the start is told in a line; anything else is a bug and shows its stack. */
try {
  const server = await start(process.env, stopping.signal)
  if (!stopping.signal.aborted) await once(stopping.signal, 'abort')
  await server.stop()
  process.exit(0)
} catch (error) {
  if (error === stopping.signal.reason) process.exit(0)
  const isExpected = error instanceof ConfigError || error instanceof PortTaken
  console.error(isExpected ? `\nPassport cannot start.\n${error.message.replace(/^/gm, '  ')}\n` : error)
  process.exit(1)
}
