import type { Config } from '../config.ts'
import { createLiveValue } from '../database/live-value.ts'
import type { Sql } from '../database/sql.ts'
import type { Log } from '../log.ts'
import * as store from './store.ts'

/** Returns the names of the existing demo users, which the sign-in page offers. */
export type ListDemoUsers = () => string[]

/**
 * Keeps the names in memory until the database notifies of a change by any process. A server that other machines can reach
 * has none.
 */
export async function cacheDemoUsers(sql: Sql, log: Log, { isLoopback }: Config): Promise<ListDemoUsers> {
  if (!isLoopback) return () => []
  const { current } = await createLiveValue(sql, log, 'demo_users', () => store.listDemoUsers(sql))
  return current
}
