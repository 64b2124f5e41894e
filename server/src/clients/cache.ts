import { hear } from '../database/hear.ts'
import type { Sql } from '../database/sql.ts'
import type { Log } from '../http/log.ts'
import * as store from './store.ts'

/** Clients as the server knows them: asked for with every request of the protocol, changed a few times a year. */
export interface Clients {
  find: (clientId: string) => Promise<store.Client | undefined>
  /** The origins of the applications that sign people in here. */
  origins: () => Promise<string[]>
}

/** Where the database tells of no changes, or lost the connection on which it does, they are seen this late. */
const maxAgeMs = 60_000
const maxKept = 1000

/** Keeps clients in memory until any process changes one, which the database tells; ends with the pool. */
export async function cacheClients(sql: Sql, log: Log): Promise<Clients> {
  const kept = new Map<string, { readAt: number; value: Promise<unknown> }>()

  function read<T>(key: string, load: () => Promise<T>): Promise<T> {
    const found = kept.get(key)
    if (found && Date.now() - found.readAt < maxAgeMs) return found.value as Promise<T>
    const value = load()
    if (kept.size >= maxKept) kept.clear()
    kept.set(key, { readAt: Date.now(), value })
    value.catch(() => kept.delete(key))
    return value
  }

  const look = () => kept.clear()
  // Called again where the connection was lost and is back: what happened meanwhile was not heard.
  await hear(sql, log, 'clients', look, look)
  return {
    find: (clientId) => read(`client ${clientId}`, () => store.find(sql, clientId)),
    origins: () =>
      read('origins', async () => {
        const uris = await store.listRedirectUris(sql)
        return [...new Set(uris.filter((uri) => /^https?:/.test(uri)).map((uri) => new URL(uri).origin))]
      }),
  }
}
