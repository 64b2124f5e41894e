import type { Log } from '../http/log.ts'
import type { Sql } from './sql.ts'

/**
 * Hears what the database tells on a channel (LISTEN), until the pool ends; resolves once nothing can be missed any
 * more. A database that tells nothing is noted in the log: whoever hears must do without. `onConnected` is called at
 * first, and again where the connection was lost and is back.
 */
export async function hear(
  sql: Sql,
  log: Log,
  channel: string,
  listener: (payload: string) => void,
  onConnected?: () => void,
): Promise<void> {
  try {
    await sql.listen(channel, listener, onConnected)
  } catch (error) {
    log.warn({ err: error, channel }, 'not-listening')
  }
}
