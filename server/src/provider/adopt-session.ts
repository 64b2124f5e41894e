import type { KoaContextWithOIDC } from 'oidc-provider'
import * as sessions from '../accounts/session-store.ts'
import type { Clients } from '../clients/cache.ts'
import type { Sql } from '../database/sql.ts'
import { createCookies } from '../http/cookies.ts'
import type { HttpContext } from '../http/http-context.ts'
import { findAccount } from './account.ts'
import { findOrExtendGrant } from './grants.ts'

/** The Passport session of the browser, by request. */
const sessionsByRequest = new WeakMap<object, sessions.SessionCaller | undefined>()

/**
 * Synchronizes the library's session with the Passport session: a user signed in to Passport is signed in to the
 * library, with the time of their last authentication. Links the two sessions, so that they end together.
 */
export async function adoptSession(
  sql: Sql,
  http: HttpContext,
  clients: Clients,
  ctx: KoaContextWithOIDC,
): Promise<void> {
  const token = createCookies(ctx.req.headers.cookie, http.isSecure).get(http.sessionCookie)
  const passportSession = token ? await sessions.findByToken(sql, token) : undefined
  sessionsByRequest.set(ctx.req, passportSession)
  const librarySession = ctx.oidc.session
  if (
    !passportSession ||
    !librarySession ||
    (librarySession.accountId && librarySession.accountId !== passportSession.userId)
  )
    return
  const authTime = Math.floor(Date.parse(passportSession.authTime) / 1000)
  if (!librarySession.accountId || (librarySession.loginTs ?? 0) < authTime) {
    const { userId: accountId, amr, acr } = passportSession
    librarySession.loginAccount({ accountId, loginTs: authTime, amr, ...(acr && { acr }) })
  }
  if (passportSession.providerSession !== librarySession.uid)
    await sessions.bindProviderSession(sql, passportSession.tokenHash, librarySession.uid)
  if (!ctx.oidc.account) await loadAccountAndGrant(sql, clients, ctx, passportSession.userId)
}

/** Reports whether the library's session belongs to a user who has no Passport session in this browser. */
export const belongsToOtherUser = (ctx: KoaContextWithOIDC): boolean =>
  ctx.oidc.session?.accountId !== undefined && sessionsByRequest.get(ctx.req)?.userId !== ctx.oidc.session.accountId

/** Loads the account and the grant, which the library could not find before it had a user. */
async function loadAccountAndGrant(sql: Sql, clients: Clients, ctx: KoaContextWithOIDC, userId: string) {
  const account = await findAccount(sql, ctx, userId)
  const clientId = ctx.oidc.client?.clientId
  if (!account || !clientId) return
  ctx.oidc.entity('Account', account)
  const grant = await findOrExtendGrant(sql, clients, ctx)
  if (grant) {
    ctx.oidc.session?.ensureClientContainer(clientId)
    ctx.oidc.session?.grantIdFor(clientId, grant.jti)
  }
  ctx.oidc.entity('Grant', grant ?? new ctx.oidc.provider.Grant({ accountId: userId, clientId }))
}
