import * as api from '@passport/contract/accounts'
import * as audit from '../audit/store.ts'
import { listOwnTenants, loadProviderNames } from '../entra/find-upstream.ts'
import { unlinkLogin } from '../entra/unlink-login.ts'
import type { Feature } from '../feature.ts'
import type { Caller } from '../http/caller.ts'
import { decodeInstantCursor, toCursorPage } from '../http/paging.ts'
import { bearerNotAccepted, sessionNotFound } from '../http/problems.ts'
import { describeUserAgent } from '../http/user-agent.ts'
import { startLink } from '../login/link.ts'
import { prepareProviderSignOut } from '../login/provider-sign-out.ts'
import { describeScopes } from '../provider/scopes.ts'
import * as consents from './consent-store.ts'
import { endSessionByToken, revokeOtherSessions, revokeSession, signOutEverywhere } from './end-sessions.ts'
import { revokeConsent } from './revoke-consent.ts'
import { clearSession } from './session-cookie.ts'
import * as sessions from './session-store.ts'
import * as store from './store.ts'

/** The caller's own account: logins, sessions, consents and activity. */
export const accounts: Feature = ({ serve }, services) => {
  const { sql, http, clients, apis } = services

  serve(api.listLogins, async ({ caller }) => {
    const logins = await store.listLogins(sql, caller.id)
    const nameOf = await loadProviderNames(
      services,
      logins.map(({ providerId }) => providerId),
    )
    return logins.map(({ id, providerId, subject, label, linkedAt, lastUsedAt }) => ({
      id,
      provider: { id: providerId, name: nameOf(providerId) },
      externalId: subject,
      label,
      linkedAt,
      lastUsedAt,
      current: id === requireSession(caller).loginId,
    }))
  })

  serve(api.listLoginProviders, async ({ caller }) => [
    ...services.upstreams.all.map(({ id, name }) => ({ id, name })),
    ...(await listOwnTenants(services, caller)),
  ])

  serve(api.linkLogin, ({ caller, body, cookies, visit }) =>
    startLink(services, { caller, sessionId: requireSession(caller).id, idp: body.idp, cookies, visit }),
  )

  serve(api.unlinkLogin, async ({ caller, params, visit }) => {
    await unlinkLogin(services, caller.id, params.id, visit)
  })

  // The contract's `recent` is the whole check.
  serve(api.checkRecentAuthentication, () => undefined)

  serve(api.listConsents, async ({ caller }) => {
    const listed = await consents.list(sql, caller.id)
    return Promise.all(
      listed.map(async ({ id, clientId, scopes, grantedAt, lastUsedAt }) => ({
        id,
        client: { id: clientId, name: (await clients.find(clientId))?.name ?? clientId },
        scopes: await describeScopes(scopes, apis),
        grantedAt,
        lastUsedAt,
      })),
    )
  })

  serve(api.revokeConsent, ({ caller, params, visit }) => revokeConsent(sql, caller.id, params.id, visit))

  serve(api.listSessions, async ({ caller }) => {
    const listed = await sessions.list(sql, caller.id)
    const nameOf = await loadProviderNames(
      services,
      listed.map(({ idp }) => idp),
    )
    return listed.map((session) => ({
      ...session,
      idpName: nameOf(session.idp),
      userAgent: describeUserAgent(session.userAgent),
      current: session.id === requireSession(caller).id,
    }))
  })

  serve(api.revokeSession, async ({ caller, params, query, visit }) => {
    const revoked = await revokeSession(sql, { userId: caller.id, sessionId: params.id, ...query, visit })
    if (!revoked) throw sessionNotFound()
    return revoked
  })

  serve(api.revokeOtherSessions, async ({ caller, visit }) => ({
    revoked: await revokeOtherSessions(sql, caller.id, requireSession(caller).id, visit),
  }))

  serve(api.signOut, async ({ caller, body, cookies, visit }) => {
    const token = cookies.get(http.sessionCookie) ?? ''
    const ended = await endSessionByToken(sql, token, { visit })
    if (body.everywhere)
      await signOutEverywhere(sql, { userId: caller.id, withPersonalTokens: body.personalTokens, visit })
    clearSession(cookies, http)
    return ended ? prepareProviderSignOut(services, ended) : { endSessionUrl: null }
  })

  serve(api.listActivity, async ({ caller, query }) => {
    const rows = await audit.listActivity(sql, caller.id, query.limit + 1, decodeInstantCursor(query.after))
    const cursorOf = ({ at, id }: audit.ActivityRow) => [at, id] as const
    const page = toCursorPage({ path: api.listActivity.path, query, rows, cursorOf })
    const nameOf = await loadProviderNames(
      services,
      page.items.flatMap(({ idp }) => idp ?? []),
    )
    const items = page.items.map((row) => ({
      ...row,
      idpName: row.idp === null ? null : nameOf(row.idp),
      userAgent: describeUserAgent(row.userAgent),
    }))
    return { ...page, items }
  })
}

/** Returns the caller's session, which exists because these endpoints reject bearer tokens. */
function requireSession({ session }: Caller): NonNullable<Caller['session']> {
  if (!session) throw bearerNotAccepted()
  return session
}
