import { endAllAtProvider } from '../accounts/end-sessions.ts'
import { type Sql, transaction } from '../database/sql.ts'
import * as orgs from '../orgs/change.ts'
import type { OrgRow } from '../orgs/store.ts'
import * as setupLinks from '../setup/store.ts'
import { applyMappings } from './apply-mappings.ts'
import { toProviderId } from './find-upstream.ts'
import * as store from './store.ts'

/**
 * Deletes an organisation like `remove` of the organisations. Ends its set-up links and what the logins at its tenant
 * started, and takes what its mappings gave.
 */
export function deleteOrg(sql: Sql, id: string, ...parameters: Rest<typeof orgs.remove>): Promise<void> {
  return transaction(sql, async (sql) => {
    await orgs.remove(sql, id, ...parameters)
    const connection = await store.find(sql, id)
    if (!connection) return
    await setupLinks.endAll(sql, id, 'deleted')
    await endAllAtProvider(sql, toProviderId(connection.tenantId))
    await applyMappings(sql, id)
  })
}

/** Restores an organisation like `restore` of the organisations, and what its mappings give. */
export function restoreOrg(sql: Sql, id: string, ...parameters: Rest<typeof orgs.restore>): Promise<OrgRow> {
  return transaction(sql, async (sql) => {
    const restored = await orgs.restore(sql, id, ...parameters)
    await applyMappings(sql, id)
    return restored
  })
}

type Rest<Change> = Change extends (sql: Sql, id: string, ...parameters: infer Parameters) => unknown
  ? Parameters
  : never
