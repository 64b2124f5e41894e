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
  const { read } = await createNotifiedCache(sql, log, 'clients')
  return {
    find: (clientId) => read(`client ${clientId}`, () => store.find(sql, clientId)),
    origins: () =>
      read('origins', async () => {
        const uris = await store.listRedirectUris(sql)
        return [...new Set(uris.filter((uri) => /^https?:/.test(uri)).map((uri) => new URL(uri).origin))]
      }),
  }
}
