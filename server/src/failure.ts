import { inspect } from 'node:util'

/**
 * Describes an error that nobody expected to the person at the terminal: its message, and how to get the details. They are
 * part of it if LOG_LEVEL is `debug` or `trace`.
 */
export function describeUnexpected(
  error: unknown,
  { LOG_LEVEL: level = '' }: Record<string, string | undefined>,
): string {
  if (level === 'debug' || level === 'trace') return inspect(error)
  const message = (error instanceof Error && error.message) || String(error)
  return `${message}\nLOG_LEVEL=debug prints the details.`
}
