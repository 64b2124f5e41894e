import { endAllAtProvider } from '../accounts/end-sessions.ts'
import { type ChangeContext, toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import type { Config } from '../config.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Preconditions } from '../http/conditional.ts'
import { requireRecentAuthentication } from '../http/recent.ts'
import * as orgs from '../orgs/store.ts'
import { requireMayGive } from '../roles/change.ts'
import * as roles from '../roles/store.ts'
import * as setupLinks from '../setup/store.ts'
import { findCloud, lockConnection } from './create.ts'
import { toProviderId } from './find-upstream.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

interface ActionContext extends ChangeContext {
  preconditions: Preconditions
}

/**
 * Enables sign-in through a tenant, which ends its set-up links. Throws 404, 412, and 409 `consent-missing`, `test-missing` or
 * `cloud-not-configured`, and the errors of `requireMayAdmit`.
 */
export function enable(sql: Sql, config: Config, orgId: string, context: ActionContext): Promise<void> {
  return change(sql, orgId, true, context, async (sql, connection) => {
    findCloud(config, connection.cloud)
    if (connection.consent !== 'granted') throw problems.consentMissing()
    if (connection.testedAt === null) throw problems.testMissing()
    await requireMayAdmit(sql, orgId, context)
  })
}

/**
 * Throws 403 `role-not-yours-to-give` and 401 `reauthentication-required` unless the caller may give the roles, and the ownership
 * of organisations, to which a sign-in through the tenant leads: its users can use them again. Changes of roles must be locked.
 */
export async function requireMayAdmit(
  sql: Sql,
  orgId: string,
  { caller }: Pick<ChangeContext, 'caller'>,
): Promise<void> {
  requireMayGive({ caller }, await store.listReachableRoles(sql, orgId))
  if (await store.reachesOwner(sql, orgId)) requireRecentAuthentication(caller)
}

/** Disables sign-in through a tenant, and ends what its logins started. Throws 404 and 412. */
export function disable(sql: Sql, orgId: string, context: ActionContext): Promise<void> {
  return change(sql, orgId, false, context, () => Promise.resolve())
}

function change(
  sql: Sql,
  orgId: string,
  isEnabled: boolean,
  context: ActionContext,
  requireReady: (sql: Sql, connection: store.EntraRow) => Promise<void>,
): Promise<void> {
  return transaction(sql, async (sql) => {
    if (isEnabled) await roles.lockChanges(sql)
    const connection = await lockConnection(sql, orgId, context)
    context.preconditions.check({ etag: String(connection.version) })
    if (connection.signInEnabled === isEnabled) return
    await requireReady(sql, connection)
    await store.setSignInEnabled(sql, orgId, isEnabled)
    if (isEnabled) await setupLinks.endAll(sql, orgId, 'enabled')
    else await endAllAtProvider(sql, toProviderId(connection.tenantId))
    await orgs.touch(sql, orgId)
    await audit.record(sql, {
      action: isEnabled ? 'org.entra-enabled' : 'org.entra-disabled',
      ...toActorFields(context),
      target: { kind: 'org', id: orgId },
      before: { signInEnabled: !isEnabled },
      after: { signInEnabled: isEnabled, tenant: connection.displayName },
    })
  })
}
