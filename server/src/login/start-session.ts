import { recordSignOut } from '../accounts/end-sessions.ts'
import { setSession } from '../accounts/session-cookie.ts'
import * as sessions from '../accounts/session-store.ts'
import * as audit from '../audit/store.ts'
import { transaction } from '../database/sql.ts'
import { lockEnabled } from '../entra/find-upstream.ts'
import type { Services } from '../feature.ts'
import type { PageRequest } from '../http/page.ts'
import type { Upstream } from '../identity-providers/upstreams.ts'
import { removeInteractionSession } from '../provider/pending-request.ts'
import * as provider from '../provider/store.ts'
import * as users from '../users/store.ts'
import type { findOrCreateAccount } from './account.ts'
import type { Attempt } from './attempt.ts'
import { SignInFailure } from './failure.ts'
import { readBrowser, recordBrowser } from './new-device.ts'
import type { Authentication } from './upstream-flow.ts'

interface CompletedAttempt {
  attempt: Attempt
  upstream: Upstream
  authentication: Authentication
  account: Awaited<ReturnType<typeof findOrCreateAccount>>
}

/**
 * Replaces the browser's session by one with a new token, which it returns. Another user is signed out; the same user
 * keeps the tokens of their applications.
 */
export async function startSession(
  services: Services,
  { cookies, visit }: PageRequest,
  { attempt, upstream, authentication, account }: CompletedAttempt,
): Promise<string> {
  const { sql, http, vault, issuer, activity } = services
  const { authTime, amr, acr, idToken } = authentication
  const { userId, loginId, isFirst } = account
  const browser = readBrowser(cookies, http.isSecure)
  const formerToken = cookies.get(http.sessionCookie)
  const { token, isOtherUser } = await transaction(sql, async (sql) => {
    // Disabling the tenant ends the sessions of its logins, with this one if it is first.
    if (upstream.tenant && !(await lockEnabled(sql, upstream.tenant.orgId)))
      throw new SignInFailure('tenant-not-enabled')
    // If the user is disabled concurrently, either this sign-in fails or its session ends with the others.
    const user = await users.lock(sql, userId)
    if (!user || user.disabledAt !== null) throw new SignInFailure('account-disabled', userId)
    const replaced = formerToken ? await sessions.removeByToken(sql, formerToken) : undefined
    const keptProviderSession = replaced?.userId === userId ? replaced.providerSession : null
    const endedProviderSession = keptProviderSession ? null : replaced?.providerSession
    if (endedProviderSession) await provider.endProviderSessions(sql, [endedProviderSession])
    if (replaced && replaced.userId !== userId) await recordSignOut(sql, replaced, { visit, client: null })
    await audit.record(sql, {
      action: 'signin.succeeded',
      actorId: userId,
      target: { kind: 'user', id: userId },
      after: { idp: attempt.idp, amr, ...(attempt.clientId && { client: attempt.clientId }) },
      visit,
    })
    const signIn = { user, isFirst, providerName: upstream.name, visit }
    const token = await sessions.start(sql, {
      userId,
      loginId,
      browserId: await recordBrowser(sql, services, browser, signIn),
      idp: attempt.idp,
      authTime,
      amr,
      acr,
      ip: visit.ip,
      userAgent: visit.userAgent,
      interaction: attempt.interaction ?? null,
      providerSession: keptProviderSession,
      upstreamIdToken: idToken === null ? null : vault.seal(sessions.idTokenPurpose, idToken),
    })
    return { token, isOtherUser: Boolean(endedProviderSession) }
  })
  activity.countSignIn('succeeded')
  setSession(cookies, http, token)
  browser.remember()
  // oidc-provider uses its own connection, so its changes would survive a rollback.
  if (isOtherUser && attempt.interaction) await removeInteractionSession(issuer, attempt.interaction)
  return token
}
