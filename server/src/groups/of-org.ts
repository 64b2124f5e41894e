import type { Sql } from '../database/sql.ts'
import * as store from './store.ts'

/** Whose roles may change when the groups of an organisation go, or come back that were deleted at that moment. */
export const holdersOfOrg = (sql: Sql, orgId: string, deletedAt: string | null): Promise<string[]> =>
  store.holdersOfOrg(sql, orgId, deletedAt)

/** Deletes the groups of an organisation with it, at the same moment; returns how many. Called inside `changeRoles`. */
export const deleteAllOfOrg = (sql: Sql, orgId: string, at: string): Promise<number> =>
  store.deleteAllOfOrg(sql, orgId, at)

/** Brings back the groups that were deleted with their organisation at that moment; returns how many. */
export const restoreAllOfOrg = (sql: Sql, orgId: string, at: string): Promise<number> =>
  store.restoreAllOfOrg(sql, orgId, at)

/** Makes new versions of the groups of an organisation, whose name they are told with. */
export const touchAllOfOrg = (sql: Sql, orgId: string): Promise<void> => store.touchAllOfOrg(sql, orgId)
