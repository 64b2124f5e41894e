import type { RoleChangeQuery } from '@passport/contract/role-effect'
import { endAllAtProvider } from '../accounts/end-sessions.ts'
import type { ChangeContext } from '../audit/actor.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { listIdsOfOrg } from '../groups/store.ts'
import type { Preconditions } from '../http/conditional.ts'
import { applyMappings, takeLost } from '../mappings/apply-mappings.ts'
import * as orgs from '../orgs/change.ts'
import type { OrgRow } from '../orgs/store.ts'
import * as roles from '../roles/store.ts'
import * as setupLinks from '../setup/store.ts'
import * as claims from './claims-store.ts'
import { requireMayAdmit } from './enable.ts'
import { toProviderId } from './find-upstream.ts'
import * as store from './store.ts'

interface OrgChangeContext extends ChangeContext {
  preconditions: Preconditions
}

const mappingsOf = (orgId: string) => ({
  findUsers: (sql: Sql) => claims.listUsers(sql, orgId),
  apply: async (sql: Sql) => {
    await applyMappings(sql, orgId)
    // Other tenants may have mapped to its groups while they were in the trash.
    await takeLost(sql, { groupIds: await listIdsOfOrg(sql, orgId) })
  },
})

/**
 * Deletes an organisation like `remove` of the organisations, with what its mappings gave. Ends its set-up links and what the
 * logins at its tenant started.
 */
export function deleteOrg(sql: Sql, id: string, query: RoleChangeQuery, context: OrgChangeContext): Promise<void> {
  return transaction(sql, async (sql) => {
    await orgs.remove(sql, id, query, context, mappingsOf(id))
    const connection = await store.find(sql, id)
    if (!connection) return
    await setupLinks.endAll(sql, id, 'deleted')
    await endAllAtProvider(sql, toProviderId(connection.tenantId))
  })
}

/**
 * Restores an organisation like `restore` of the organisations, with what its mappings give and, if it was enabled, the sign-in
 * through its tenant. Throws like `requireMayAdmit` too.
 */
export const restoreOrg = (
  sql: Sql,
  id: string,
  query: RoleChangeQuery & { slug?: string | undefined },
  context: OrgChangeContext,
): Promise<OrgRow> =>
  transaction(sql, async (sql) => {
    await roles.lockChanges(sql)
    const connection = await store.find(sql, id)
    if (connection?.orgDeletedAt != null && connection.signInEnabled) await requireMayAdmit(sql, id, context)
    return orgs.restore(sql, id, query, context, mappingsOf(id))
  })
