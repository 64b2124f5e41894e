import type { Login } from '../accounts/store.ts'
import { unlink } from '../accounts/unlink.ts'
import { transaction } from '../database/sql.ts'
import type { Services } from '../feature.ts'
import { applyMappings } from '../mappings/apply-mappings.ts'
import * as roles from '../roles/store.ts'
import { findUpstream } from './find-upstream.ts'

type Parameters<F> = F extends (services: never, ...parameters: infer P) => unknown ? P : never

/** Unlinks a login like `unlink`. The user also loses what they have only by a mapping of the tenant of the login. */
export function unlinkLogin(services: Services, ...[userId, ...parameters]: Parameters<typeof unlink>): Promise<Login> {
  return transaction(services.sql, async (sql) => {
    // Before the user: the mappings may take roles.
    await roles.lockChanges(sql)
    const nameOf = async (id: string) => (await findUpstream({ ...services, sql }, id))?.name ?? id
    const login = await unlink({ ...services, sql, nameOf }, userId, ...parameters)
    const tenant = (await findUpstream({ ...services, sql }, login.providerId))?.tenant
    if (tenant) await applyMappings(sql, tenant.orgId, userId)
    return login
  })
}
