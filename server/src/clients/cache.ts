import { createNotifiedCache } from '../database/notified-cache.ts'
import type { Sql } from '../database/sql.ts'
import type { Log } from '../log.ts'
import * as store from './store.ts'

/** The enabled clients, cached: every protocol request reads them, and they seldom change. */
export interface Clients {
  /**
   * Returns a client as it was within the last minute, in a server that no notification of the database reaches. A
   * decision about a request compares `version` in the statement that answers it, or calls `findCurrent`.
   */
  find: (clientId: string) => Promise<store.Client | undefined>
  /**
   * Returns a client as it is in the database. While that is unavailable, and nothing can be issued, returns the copy in
   * memory, by which errors are sent to the application.
   */
  findCurrent: (clientId: string) => Promise<store.Client | undefined>
  /** Returns the web origins of the redirect URIs of all clients. */
  origins: () => Promise<string[]>
  /** Lets the next request of this process see a change before the database notifies of it. */
  clear: () => void
}

/** Caches clients in memory until the database notifies of a change by any process. */
export async function cacheClients(sql: Sql, log: Log): Promise<Clients> {
  const { read, refresh, forget, clear } = await createNotifiedCache(sql, log, 'clients')
  const findBy = (lookUp: typeof read) => async (clientId: string) => {
    const key = `client ${clientId}`
    const client = await lookUp(key, () => store.find(sql, clientId))
    // Anybody can ask for unknown ones, which would push out the others.
    if (!client) forget(key)
    return client
  }
  return {
    find: findBy(read),
    findCurrent: findBy(refresh),
    origins: () =>
      read('origins', async () => {
        const uris = await store.listRedirectUris(sql)
        return [...new Set(uris.filter((uri) => /^https?:/.test(uri)).map((uri) => new URL(uri).origin))]
      }),
    clear,
  }
}
