import { createNotifiedCache } from '../database/notified-cache.ts'
import type { Sql } from '../database/sql.ts'
import type { Log } from '../log.ts'
import * as store from './store.ts'

/** The identity APIs, cached: every token request reads them, and they seldom change. */
export interface IdentityApis {
  /** Returns all APIs that are not deleted, also disabled ones. */
  list: () => Promise<store.ApiRow[]>
  /** Lets the next request of this process see a change before the database notifies of it. */
  clear: () => void
}

/** Caches identity APIs in memory until the database notifies of a change by any process. */
export async function cacheIdentityApis(sql: Sql, log: Log): Promise<IdentityApis> {
  const { read, clear } = await createNotifiedCache(sql, log, 'identity_apis')
  return { list: () => read('all', () => store.listAll(sql)), clear }
}
