import { createNotifiedCache } from '../database/notified-cache.ts'
import type { Sql } from '../database/sql.ts'
import type { Log } from '../log.ts'
import * as store from './store.ts'

/** The enabled clients, cached: every protocol request reads them, and they seldom change. */
export interface Clients {
  find: (clientId: string) => Promise<store.Client | undefined>
  /** Returns the web origins of the redirect URIs of all clients. */
  origins: () => Promise<string[]>
}

/** Caches clients in memory until the database notifies of a change by any process. */
export async function cacheClients(sql: Sql, log: Log): Promise<Clients> {
  const { read, forget } = await createNotifiedCache(sql, log, 'clients')
  return {
    find: async (clientId) => {
      const key = `client ${clientId}`
      const client = await read(key, () => store.find(sql, clientId))
      // Anybody can ask for unknown ones, which would push out the others.
      if (!client) forget(key)
      return client
    },
    origins: () =>
      read('origins', async () => {
        const uris = await store.listRedirectUris(sql)
        return [...new Set(uris.filter((uri) => /^https?:/.test(uri)).map((uri) => new URL(uri).origin))]
      }),
  }
}
