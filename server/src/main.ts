import { ConfigError } from './config.ts'
import { PortTaken } from './http/listen.ts'
import { start } from './start.ts'

/** What stops the start is told in a line; anything else is a bug and shows its stack. */
try {
  const server = await start(process.env)
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void server.stop().then(() => process.exit(0)))
} catch (error) {
  const isExpected = error instanceof ConfigError || error instanceof PortTaken
  console.error(isExpected ? `\nPassport cannot start.\n${error.message.replace(/^/gm, '  ')}\n` : error)
  process.exit(1)
}
