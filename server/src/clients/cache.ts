import type { Sql } from '../database/sql.ts'
import { subscribe } from '../database/subscribe.ts'
import type { Log } from '../log.ts'
import * as store from './store.ts'

/** The enabled clients, cached: every protocol request reads them, and they seldom change. */
export interface Clients {
  find: (clientId: string) => Promise<store.Client | undefined>
  /** Returns the web origins of the redirect URIs of all clients. */
  origins: () => Promise<string[]>
}

/** The maximum delay of a change if the database sends no notifications. */
const maxAgeMs = 60_000
const maxEntries = 1000

/** Caches clients in memory until the database notifies of a change by any process. */
export async function cacheClients(sql: Sql, log: Log): Promise<Clients> {
  const cache = new Map<string, { readAt: number; value: Promise<unknown> }>()

  function read<T>(key: string, load: () => Promise<T>): Promise<T> {
    const entry = cache.get(key)
    if (entry && Date.now() - entry.readAt < maxAgeMs) return entry.value as Promise<T>
    const value = load()
    if (cache.size >= maxEntries) cache.clear()
    cache.set(key, { readAt: Date.now(), value })
    value.catch(() => cache.delete(key))
    return value
  }

  const clear = () => cache.clear()
  // Also called after a reconnect, before which notifications may have been lost.
  await subscribe(sql, log, 'clients', clear, clear)
  return {
    find: (clientId) => read(`client ${clientId}`, () => store.find(sql, clientId)),
    origins: () =>
      read('origins', async () => {
        const uris = await store.listRedirectUris(sql)
        return [...new Set(uris.filter((uri) => /^https?:/.test(uri)).map((uri) => new URL(uri).origin))]
      }),
  }
}
