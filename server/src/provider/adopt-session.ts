import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Clients } from '../clients/cache.ts'
import type { Sql } from '../database/sql.ts'
import { findAccount } from './account.ts'
import type { AuthorizationCaller } from './authorization-store.ts'
import { findOrExtendGrant } from './grants.ts'
import { findAuthorization, type RequestReader } from './request-state.ts'

/** The Passport session of the browser, by request. */
const sessionsByRequest = new WeakMap<object, AuthorizationCaller | undefined>()

/**
 * Synchronizes the library's session with the Passport session: a user signed in to Passport is signed in to the
 * library, with the time of their last authentication. Links the two sessions, so that they end together.
 */
export async function adoptSession(
  sql: Sql,
  reader: RequestReader,
  clients: Clients,
  ctx: KoaContextWithOIDC,
): Promise<void> {
  const passportSession = await reader.findCaller(ctx)
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
  const authorization = findAuthorization(ctx)
  if (authorization && passportSession.providerSession !== librarySession.uid)
    authorization.providerSession = librarySession.uid
  if (!ctx.oidc.account) await loadAccountAndGrant(sql, reader, clients, ctx)
}

/** Reports whether the library's session belongs to a user who has no Passport session in this browser. */
export const belongsToOtherUser = (ctx: KoaContextWithOIDC): boolean =>
  ctx.oidc.session?.accountId !== undefined && sessionsByRequest.get(ctx.req)?.userId !== ctx.oidc.session.accountId

/** Loads the account and the grant, which the library could not find before it had a user. */
async function loadAccountAndGrant(sql: Sql, reader: RequestReader, clients: Clients, ctx: KoaContextWithOIDC) {
  const userId = (await reader.findCaller(ctx))?.userId ?? ''
  const account = await findAccount(sql, ctx, userId)
  const clientId = ctx.oidc.client?.clientId
  if (!account || !clientId) return
  ctx.oidc.entity('Account', account)
  const grant = await findOrExtendGrant(sql, clients, reader, ctx)
  if (grant) {
    ctx.oidc.session?.ensureClientContainer(clientId)
    ctx.oidc.session?.grantIdFor(clientId, grant.jti)
  }
  ctx.oidc.entity('Grant', grant ?? new ctx.oidc.provider.Grant({ accountId: userId, clientId }))
}
