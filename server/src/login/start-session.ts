import { v7 as uuid } from 'uuid'
import { recordSignOut } from '../accounts/end-sessions.ts'
import { setSession } from '../accounts/session-cookie.ts'
import * as sessions from '../accounts/session-store.ts'
import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import { lockEnabled } from '../entra/find-upstream.ts'
import type { Services } from '../feature.ts'
import type { PageRequest } from '../http/page.ts'
import type { Visit } from '../http/visit.ts'
import type { Upstream } from '../identity-providers/upstreams.ts'
import * as provider from '../provider/store.ts'
import * as users from '../users/store.ts'
import { generateToken } from '../vault.ts'
import type { Attempt } from './attempt.ts'
import type { AttemptClaim } from './claim.ts'
import { SignInFailure } from './failure.ts'
import { type Browser, prepareDeviceNotice, reportDevice } from './new-device.ts'
import * as store from './store.ts'
import type { Authentication } from './upstream-flow.ts'

interface CompletedAttempt {
  attempt: Attempt
  upstream: Upstream
  authentication: Authentication
  account: store.SignInAccount
  /** The name of the login at the provider. */
  label: string
  browser: Browser
  claim: AttemptClaim
}

/**
 * Replaces the browser's session by one with a new token, which it returns. Another user is signed out; the same user
 * keeps the tokens of their applications.
 */
export async function startSession(
  services: Services,
  { cookies, visit }: PageRequest,
  { attempt, upstream, authentication, account, label, browser, claim }: CompletedAttempt,
): Promise<string> {
  const { sql, http, vault, activity } = services
  const { authTime, amr, acr, idToken } = authentication
  const { userId, loginId } = account
  const formerToken = cookies.get(http.sessionCookie)
  const token = generateToken()
  const newBrowserId = uuid()
  const signIn = { account, browserId: newBrowserId, providerName: upstream.name, visit }
  const insertNotice = account.isKnownBrowser ? undefined : await prepareDeviceNotice(sql, services, signIn)
  const event = audit.toRow({
    action: 'signin.succeeded',
    actorId: userId,
    target: { kind: 'user', id: userId },
    after: { idp: attempt.idp, amr, ...(attempt.clientId && { client: attempt.clientId }) },
    visit,
  })
  /** Starts the session; `providerSession` is that of the issuer which continues with it. */
  const save = async (sql: Sql, providerSession: string | null, spending?: store.Spending) => {
    const session: store.NewSession = {
      id: uuid(),
      token,
      userId,
      loginId,
      idp: attempt.idp,
      authTime,
      amr,
      acr,
      ip: visit.ip,
      userAgent: visit.userAgent,
      interaction: attempt.interaction ?? null,
      providerSession,
      upstreamIdToken: idToken === null ? null : vault.seal(sessions.idTokenPurpose, idToken),
      lifetimeDays: sessions.sessionLifetimeDays,
    }
    const writes = { session, label, browserToken: browser.token, newBrowserId, event, insertNotice }
    const saved = await store.saveSignIn(sql, writes, spending)
    if (spending) claim.accept(saved)
    if (saved.browserId === undefined) throw new SignInFailure('account-disabled', userId)
    // Forgotten since it was read: the user has disputed a sign-in there.
    if (saved.isNewBrowser && account.isKnownBrowser) await reportDevice(sql, services, signIn)
  }
  if (formerToken || upstream.tenant)
    await claim.transaction(sql, async (sql) => {
      // Disabling the tenant ends the sessions of its logins, with this one if it is first.
      if (upstream.tenant && !(await lockEnabled(sql, upstream.tenant.orgId)))
        throw new SignInFailure('tenant-not-enabled')
      // Users are locked before their sessions.
      await users.lock(sql, userId)
      await save(sql, await replaceSession(sql, formerToken, userId, visit))
    })
  else await save(sql, null, claim.pending)
  activity.countSignIn('succeeded')
  setSession(cookies, http, token)
  browser.remember()
  return token
}

/**
 * Removes the former session of the browser, and signs another user out. Returns the issuer's session that the same user
 * keeps.
 */
async function replaceSession(
  sql: Sql,
  formerToken: string | undefined,
  userId: string,
  visit: Visit,
): Promise<string | null> {
  const replaced = formerToken ? await sessions.removeByToken(sql, formerToken) : undefined
  const kept = replaced?.userId === userId ? replaced.providerSession : null
  const ended = kept ? null : replaced?.providerSession
  if (ended) await provider.endProviderSessions(sql, [ended])
  if (replaced && replaced.userId !== userId) await recordSignOut(sql, replaced, { visit, client: null })
  return kept
}
