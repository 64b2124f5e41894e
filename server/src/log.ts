import { type Logger, pino } from 'pino'
import { isDatabaseBusy, isDatabaseUnavailable } from './database/sql.ts'

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
 * Serializes an error for the log. The stacks of an unavailable or busy database are omitted: it fails many requests, and
 * they would fill the disk without information.
 */
export function serializeError(error: Error) {
  const isOfDatabase = (candidate: unknown) => isDatabaseUnavailable(candidate) || isDatabaseBusy(candidate)
  const unavailable = [error, error?.cause].find(isOfDatabase)
  if (!unavailable) return pino.stdSerializers.err(error)
  const { name, message, code } = unavailable as Error & { code: string }
  return { type: name, code, message }
}
