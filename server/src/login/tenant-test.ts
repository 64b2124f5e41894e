import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { findUpstreamOfOrg, type TenantUpstream } from '../entra/find-upstream.ts'
import { notLinked } from '../entra/problems.ts'
import * as entra from '../entra/store.ts'
import type { Services } from '../feature.ts'
import { type Caller, isAdministrator, type SetupCaller } from '../http/caller.ts'
import type { Cookies } from '../http/cookies.ts'
import { sessionRequired } from '../http/problems.ts'
import type { Visit } from '../http/visit.ts'
import * as orgs from '../orgs/store.ts'
import { recheckCallerRoles } from '../roles/recheck-caller.ts'
import * as setupLinks from '../setup/store.ts'
import { type Attempt, storeAttempt } from './attempt.ts'
import { SignInFailure } from './failure.ts'
import { toStartProblem } from './link.ts'
import { beginFlow } from './upstream-flow.ts'

type Test = NonNullable<Attempt['test']>

interface TestContext {
  cookies: Cookies
  visit: Visit
}

/**
 * Starts a test of the sign-in through the tenant of an organisation. Returns the authorization URL to open. The test
 * creates no session, account or membership, and counts only in the same session. Throws 403 for a client,
 * 404 and 502.
 */
export async function startTest(
  services: Services,
  { orgId, caller, ...context }: TestContext & { orgId: string; caller: Caller },
) {
  // The organisation first: its absence says more.
  const upstream = await findUpstreamOfOrg(services, orgId)
  if (!upstream) throw notLinked()
  if (!caller.session) throw sessionRequired()
  const test = { orgId, userId: caller.id, sessionId: caller.session.id }
  return beginTest(services, { upstream, returnTo: `/app/admin/orgs/${orgId}`, test, caller, ...context })
}

/**
 * Like `startTest`, by a set-up link. The test counts only in the same browser, while it may use the link. Throws 404 and
 * 502.
 */
export async function startSetupTest(
  services: Services,
  { caller, ...context }: TestContext & { caller: SetupCaller },
) {
  const { orgId, setupLinkId } = caller
  const upstream = await findUpstreamOfOrg(services, orgId)
  if (!upstream) throw notLinked()
  return beginTest(services, { upstream, returnTo: '/app/setup', test: { orgId, setupLinkId }, caller, ...context })
}

interface NewTest extends TestContext {
  upstream: TenantUpstream
  returnTo: string
  test: Test
  caller: { id: string }
}

async function beginTest(services: Services, { upstream, returnTo, test, caller, cookies, visit }: NewTest) {
  const { config, http, upstreams, vault } = services
  const request = { upstream, returnTo, isFresh: false, test }
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

/**
 * Records a successful test. Throws `SignInFailure` if the caller no longer is an administrator, or the set-up link has
 * ended.
 */
export async function finishTest(sql: Sql, test: Test, caller: Caller | undefined, visit: Visit): Promise<void> {
  const { orgId } = test
  const setupLinkId = 'setupLinkId' in test ? test.setupLinkId : undefined
  if (setupLinkId === undefined && (!caller || !isAdministrator(caller))) throw new SignInFailure('session-changed')
  await transaction(sql, async (sql) => {
    const org = await orgs.lock(sql, orgId)
    if (setupLinkId === undefined && caller) await recheckCallerRoles(sql, caller)
    else if (setupLinkId === undefined || !(await setupLinks.lockInUse(sql, setupLinkId)))
      throw new SignInFailure('tenant-not-enabled', 'the set-up link has ended')
    const before = org && (await entra.lock(sql, orgId))
    if (!before) throw new SignInFailure('tenant-not-enabled', 'the organisation was deleted')
    await entra.recordTest(sql, orgId)
    await orgs.touch(sql, orgId)
    await audit.record(sql, {
      action: 'org.entra-tested',
      actorId: setupLinkId === undefined ? (caller?.id ?? null) : `setup:${setupLinkId}`,
      target: { kind: 'org', id: orgId },
      before: { testedAt: before.testedAt },
      after: { testedAt: (await entra.find(sql, orgId))?.testedAt ?? null },
      visit,
    })
  })
}
