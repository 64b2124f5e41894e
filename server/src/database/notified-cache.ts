import type { Log } from '../log.ts'
import type { Sql } from './sql.ts'
import { subscribe } from './subscribe.ts'

/** The maximum delay of a change if the database sends no notifications. */
const maxAgeMs = 60_000

export interface NotifiedCache {
  /** Returns the cached value of a key, or loads it. */
  read: <T>(key: string, load: () => Promise<T>) => Promise<T>
  /** Loads the value of a key again. If that fails, returns the cached one, and throws without one. */
  refresh: <T>(key: string, load: () => Promise<T>) => Promise<T>
  forget: (key: string) => void
  /** Forgets all values. */
  clear: () => void
}

/**
 * Caches at most `maxEntries` values in memory until the database notifies of a change by any process, and for at most a
 * minute.
 */
export async function createNotifiedCache(
  sql: Sql,
  log: Log,
  channel: string,
  maxEntries = 1000,
): Promise<NotifiedCache> {
  const cache = new Map<string, { readAt: number; value: Promise<unknown> }>()
  let clearCount = 0
  const clear = () => {
    clearCount += 1
    cache.clear()
  }
  // Also called after a reconnect, before which notifications may have been lost.
  await subscribe(sql, log, channel, clear, clear)
  const find = (key: string) => {
    const entry = cache.get(key)
    return entry && Date.now() - entry.readAt < maxAgeMs ? entry : undefined
  }
  const read = <T>(key: string, load: () => Promise<T>): Promise<T> => {
    const entry = find(key)
    if (entry) return entry.value as Promise<T>
    const value = load()
    if (cache.size >= maxEntries) cache.clear()
    cache.set(key, { readAt: Date.now(), value })
    value.catch(() => cache.delete(key))
    return value
  }
  return {
    clear,
    forget: (key) => void cache.delete(key),
    read,
    refresh: async (key, load) => {
      const [former, countBefore] = [find(key), clearCount]
      cache.delete(key)
      try {
        return await read(key, load)
      } catch (error) {
        if (!former || clearCount !== countBefore) throw error
        cache.set(key, former)
        return former.value as ReturnType<typeof load>
      }
    },
  }
}
