import type { Config } from '../config.ts'
import { createNotifiedCache } from '../database/notified-cache.ts'
import type { Sql } from '../database/sql.ts'
import type { Log } from '../log.ts'
import * as store from './store.ts'

/** Whether users sign in through tenants of Microsoft Entra, cached: each sign-in asks, and it seldom changes. */
export interface EnabledTenants {
  isAny: () => Promise<boolean>
}

/** Caches the answer in memory until the database notifies of a change by any process. */
export async function cacheEnabledTenants(sql: Sql, log: Log, { entraClouds }: Config): Promise<EnabledTenants> {
  if (entraClouds.length === 0) return { isAny: async () => false }
  const { read } = await createNotifiedCache(sql, log, 'tenants')
  const clouds = entraClouds.map(({ id }) => id)
  return { isAny: () => read('any', () => store.hasEnabledTenant(sql, clouds)) }
}
