import type { Log } from '../log.ts'
import type { Sql } from './sql.ts'

/**
 * Subscribes to a channel (LISTEN) until the pool ends; resolves once no notification can be missed. `onConnected` is
 * called first, and again after each reconnect. If the database does not support LISTEN, logs a warning, and `listener`
 * is never called.
 */
export async function subscribe(
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
