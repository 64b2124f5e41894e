import { type Logger, pino } from 'pino'
import { isDatabaseUnavailable } from './database/sql.ts'

export type Log = Logger

/** Only for a terminal: loading it takes as long as the logger itself. */
const pretty = process.stdout.isTTY ? (await import('pino-pretty')).build : undefined

/** Creates a log of JSON lines, or of readable lines on a terminal. `worker` names this process, if there are several. */
export function createLog(level: string, worker?: number): Log {
  const options = { level, base: worker === undefined ? null : { worker }, serializers: { err: serializeError } }
  if (!pretty) return pino({ ...options, timestamp: pino.stdTimeFunctions.isoTime })
  return pino(options, pretty({ sync: true, translateTime: 'SYS:HH:MM:ss', ignore: 'hostname,pid' }))
}

/**
 * Serializes an error for the log. The stacks of an unavailable database are omitted: it fails every request, and they
 * would fill the disk without information.
 */
export function serializeError(error: Error) {
  const unavailable = [error, error?.cause].find((candidate) => isDatabaseUnavailable(candidate))
  if (!unavailable) return pino.stdSerializers.err(error)
  const { name, message, code } = unavailable as Error & { code: string }
  return { type: name, code, message }
}
