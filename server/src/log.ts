import { type Logger, pino } from 'pino'
import { build as pretty } from 'pino-pretty'
import { isDatabaseUnavailable } from './database/sql.ts'

export type Log = Logger

/** Creates a log of JSON lines, or of readable lines on a terminal. */
export function createLog(level: string): Log {
  const options = { level, base: null, serializers: { err: errorForLog } }
  if (!process.stdout.isTTY) return pino({ ...options, timestamp: pino.stdTimeFunctions.isoTime })
  return pino(options, pretty({ sync: true, translateTime: 'SYS:HH:MM:ss', ignore: 'hostname,pid' }))
}

/**
 * Serializes an error for the log. An unavailable database fails every request, so its stacks are omitted: they would
 * fill the disk without information.
 */
export function errorForLog(error: Error) {
  const unavailable = [error, error?.cause].find((candidate) => isDatabaseUnavailable(candidate))
  if (!unavailable) return pino.stdSerializers.err(error)
  const { name, message, code } = unavailable as Error & { code: string }
  return { type: name, code, message }
}
