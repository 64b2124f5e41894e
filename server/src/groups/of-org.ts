import type { Sql } from '../database/sql.ts'
import * as store from './store.ts'

/**
 * Returns the users whose roles may change when an organisation's groups are deleted, or restored from that moment.
 */
export const listHoldersOfOrg = (sql: Sql, orgId: string, deletedAt: string | null): Promise<string[]> =>
  store.listHoldersOfOrg(sql, orgId, deletedAt)

/** Deletes the groups of an organisation at the same instant; returns how many. Call it inside `changeRoles`. */
export const deleteAllOfOrg = (sql: Sql, orgId: string, deletedAt: string): Promise<number> =>
  store.deleteAllOfOrg(sql, orgId, deletedAt)

/** Restores the groups deleted with their organisation at that moment; returns how many. */
export const restoreAllOfOrg = (sql: Sql, orgId: string, deletedAt: string): Promise<number> =>
  store.restoreAllOfOrg(sql, orgId, deletedAt)

/** Increments the versions of an organisation's groups, which include its name. */
export const touchAllOfOrg = (sql: Sql, orgId: string): Promise<void> => store.touchAllOfOrg(sql, orgId)
