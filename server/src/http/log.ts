import { type Logger, pino } from 'pino'
import { build as pretty } from 'pino-pretty'

export type Log = Logger

/** Lines of JSON, or readable ones where a person is looking. */
export function createLog(level: string): Log {
  if (!process.stdout.isTTY) return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime })
  return pino({ level, base: null }, pretty({ sync: true, translateTime: 'SYS:HH:MM:ss', ignore: 'hostname,pid' }))
}
