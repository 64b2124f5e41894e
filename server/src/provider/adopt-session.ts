import type { Grant, KoaContextWithOIDC } from 'oidc-provider'
import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import { createCookies } from '../http/cookies.ts'
import type { Door } from '../http/door.ts'
import * as sessions from '../sessions/store.ts'
import { findAccount } from './account.ts'

/** What was found of the browser's own session while a request is answered. */
const found = new WeakMap<object, sessions.SessionCaller | undefined>()

/**
 * Makes the session that the library keeps follow ours: who is signed in to Passport is signed in to its clients, with
 * the time of their last authentication. Ties the two, so that they end together.
 */
export async function adoptSession(sql: Sql, door: Door, ctx: KoaContextWithOIDC): Promise<void> {
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
  if (!ctx.oidc.account) await loadAccountAndGrant(sql, ctx, ours.userId)
}

/** Whether the library's session is of someone who is not signed in to Passport here. */
export const isForeign = (ctx: KoaContextWithOIDC): boolean =>
  ctx.oidc.session?.accountId !== undefined && found.get(ctx.req)?.userId !== ctx.oidc.session.accountId

/** What the library did before it knew who the person is, and found nothing. */
async function loadAccountAndGrant(sql: Sql, ctx: KoaContextWithOIDC, userId: string) {
  const account = await findAccount(sql, ctx, userId)
  const clientId = ctx.oidc.client?.clientId
  if (!account || !clientId) return
  ctx.oidc.entity('Account', account)
  const grant = await grantOf(sql, ctx)
  ctx.oidc.session?.ensureClientContainer(clientId)
  ctx.oidc.session?.grantIdFor(clientId, grant.jti)
  ctx.oidc.entity('Grant', grant)
}

/** What the person allows the client: all it asks for, because every client is the operator's own. */
export async function grantOf(sql: Sql, ctx: KoaContextWithOIDC): Promise<Grant> {
  const { client, session, provider, account } = ctx.oidc
  if (!client || !session || !account) throw new Error('A grant needs a client and a person')
  const grantId = session.grantIdFor(client.clientId)
  const existing = grantId ? await provider.Grant.find(grantId) : undefined
  const grant = existing ?? new provider.Grant({ accountId: account.accountId, clientId: client.clientId })
  const before = scopesOf(grant)
  grant.addOIDCScope([...ctx.oidc.requestParamOIDCScopes].join(' '))
  for (const [resource, { scopes }] of Object.entries(ctx.oidc.resourceServers ?? {})) {
    grant.addResourceScope(resource, [...ctx.oidc.requestParamScopes].filter((scope) => scopes.has(scope)).join(' '))
  }
  const scopes = scopesOf(grant)
  if (existing && scopes === before) return grant
  await grant.save()
  await audit.record(sql, {
    action: 'client.authorized',
    actorId: account.accountId,
    target: { kind: 'user', id: account.accountId },
    after: { client: client.clientId, scopes },
  })
  return grant
}

const scopesOf = (grant: Grant) =>
  [grant.getOIDCScope(), ...Object.keys(grant.resources ?? {}).map((resource) => grant.getResourceScope(resource))]
    .join(' ')
    .trim()
