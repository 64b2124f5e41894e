import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Clients } from '../clients/cache.ts'
import type { Sql } from '../database/sql.ts'
import { createCookies } from '../http/cookies.ts'
import type { Door } from '../http/door.ts'
import * as sessions from '../sessions/store.ts'
import { findAccount } from './account.ts'
import { grantOf } from './grants.ts'

/** What was found of the browser's own session while a request is answered. */
const found = new WeakMap<object, sessions.SessionCaller | undefined>()

/**
 * Makes the session that the library keeps follow ours: who is signed in to Passport is signed in to its clients, with
 * the time of their last authentication. Ties the two, so that they end together.
 */
export async function adoptSession(sql: Sql, door: Door, clients: Clients, ctx: KoaContextWithOIDC): Promise<void> {
  const token = createCookies(ctx.req.headers.cookie, door.isSecure).get(door.sessionCookie)
  const ours = token ? await sessions.findByToken(sql, token) : undefined
  found.set(ctx.req, ours)
  const theirs = ctx.oidc.session
  if (!ours || !theirs || (theirs.accountId && theirs.accountId !== ours.userId)) return
  const authTime = Math.floor(Date.parse(ours.authTime) / 1000)
  if (!theirs.accountId || (theirs.loginTs ?? 0) < authTime) {
    theirs.loginAccount({ accountId: ours.userId, loginTs: authTime, amr: ours.amr })
  }
  if (ours.providerSession !== theirs.uid) await sessions.bindProviderSession(sql, ours.tokenHash, theirs.uid)
  if (!ctx.oidc.account) await loadAccountAndGrant(sql, clients, ctx, ours.userId)
}

/** Whether the library's session is of someone who is not signed in to Passport here. */
export const isForeign = (ctx: KoaContextWithOIDC): boolean =>
  ctx.oidc.session?.accountId !== undefined && found.get(ctx.req)?.userId !== ctx.oidc.session.accountId

/** What the library did before it knew who the person is, and found nothing. */
async function loadAccountAndGrant(sql: Sql, clients: Clients, ctx: KoaContextWithOIDC, userId: string) {
  const account = await findAccount(sql, ctx, userId)
  const clientId = ctx.oidc.client?.clientId
  if (!account || !clientId) return
  ctx.oidc.entity('Account', account)
  const known = await grantOf(sql, clients, ctx)
  if (known) {
    ctx.oidc.session?.ensureClientContainer(clientId)
    ctx.oidc.session?.grantIdFor(clientId, known.jti)
  }
  ctx.oidc.entity('Grant', known ?? new ctx.oidc.provider.Grant({ accountId: userId, clientId }))
}
