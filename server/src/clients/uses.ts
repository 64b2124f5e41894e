import type { Sql } from '../database/sql.ts'
import type { Log } from '../log.ts'
import * as store from './store.ts'

const intervalMs = 60_000
const maxEntries = 10_000

/** Records the uses of clients and secrets, each at most once a minute, without delaying the response. */
export interface UseRecorder {
  recordClient: (clientId: string) => void
  /** `secretHash` is that of a matching secret. */
  recordSecret: (secretHash: string) => void
}

export function createUseRecorder(sql: Sql, log: Log): UseRecorder {
  const recordedAt = new Map<string, number>()
  const oncePerMinute = (write: (sql: Sql, key: string) => Promise<void>) => (key: string) => {
    if (Date.now() - (recordedAt.get(key) ?? 0) < intervalMs) return
    if (recordedAt.size >= maxEntries) recordedAt.clear()
    recordedAt.set(key, Date.now())
    write(sql, key).catch((error) => log.warn({ err: error }, 'client-use-not-recorded'))
  }
  return { recordClient: oncePerMinute(store.recordUse), recordSecret: oncePerMinute(store.recordSecretUse) }
}
