import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { findUpstreamOfOrg } from '../entra/find-upstream.ts'
import { notLinked } from '../entra/problems.ts'
import * as entra from '../entra/store.ts'
import type { Services } from '../feature.ts'
import { type Caller, isAdministrator } from '../http/caller.ts'
import type { Cookies } from '../http/cookies.ts'
import { sessionRequired } from '../http/problems.ts'
import type { Visit } from '../http/visit.ts'
import * as orgs from '../orgs/store.ts'
import { recheckCallerRoles } from '../roles/recheck-caller.ts'
import { type Attempt, storeAttempt } from './attempt.ts'
import { SignInFailure } from './failure.ts'
import { toStartProblem } from './link.ts'
import { beginFlow } from './upstream-flow.ts'

/**
 * Starts a test of the sign-in through the tenant of an organisation. Returns the authorization URL to open. The test
 * creates no session, account or membership, and counts only in the same session. Throws 403 for a client,
 * 404 and 502.
 */
export async function startTest(
  services: Services,
  { orgId, caller, cookies, visit }: { orgId: string; caller: Caller; cookies: Cookies; visit: Visit },
) {
  const { config, http, upstreams, vault } = services
  const upstream = await findUpstreamOfOrg(services, orgId)
  if (!upstream) throw notLinked()
  if (!caller.session) throw sessionRequired()
  const test = { orgId, userId: caller.id, sessionId: caller.session.id }
  const request = { upstream, returnTo: `/app/admin/orgs/${orgId}`, isFresh: false, test }
  try {
    const { attempt, authorizationUrl } = await beginFlow(upstreams, config.publicUrl, request, {
      prompt: 'select_account',
    })
    storeAttempt(cookies, http, vault, attempt)
    return { url: authorizationUrl }
  } catch (error) {
    throw toStartProblem(services, { upstream, caller, visit }, error)
  }
}

/** Records a successful test. Throws `SignInFailure` if the caller no longer is an administrator. */
export async function finishTest(
  sql: Sql,
  { orgId }: NonNullable<Attempt['test']>,
  caller: Caller | undefined,
  visit: Visit,
): Promise<void> {
  if (!caller || !isAdministrator(caller)) throw new SignInFailure('session-changed')
  await transaction(sql, async (sql) => {
    const org = await orgs.lock(sql, orgId)
    await recheckCallerRoles(sql, caller)
    const before = org && (await entra.lock(sql, orgId))
    if (!before) throw new SignInFailure('tenant-not-enabled', 'the organisation was deleted')
    await entra.recordTest(sql, orgId)
    await orgs.touch(sql, orgId)
    await audit.record(sql, {
      action: 'org.entra-tested',
      actorId: caller.id,
      target: { kind: 'org', id: orgId },
      before: { testedAt: before.testedAt },
      after: { testedAt: (await entra.find(sql, orgId))?.testedAt ?? null },
      visit,
    })
  })
}
