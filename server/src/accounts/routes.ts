import * as api from '@passport/contract/accounts'
import * as audit from '../audit/store.ts'
import type { Feature, Services } from '../feature.ts'
import type { Caller } from '../http/caller.ts'
import { decodeInstantCursor, toCursorPage } from '../http/paging.ts'
import { bearerNotAccepted, sessionNotFound } from '../http/problems.ts'
import { describeUserAgent } from '../http/user-agent.ts'
import { startLink } from '../login/link.ts'
import { buildEndSessionUrl } from '../login/upstream-flow.ts'
import { describeScopes } from '../provider/scopes.ts'
import * as consents from './consent-store.ts'
import { endSessionByToken, revokeOtherSessions, revokeSession, signOutEverywhere } from './end-sessions.ts'
import { revokeConsent } from './revoke-consent.ts'
import { clearSession } from './session-cookie.ts'
import * as sessions from './session-store.ts'
import * as store from './store.ts'
import { unlink } from './unlink.ts'

/** The caller's own account: logins, sessions, consents and activity. */
export const accounts: Feature = ({ serve }, services) => {
  const { sql, http, upstreams, clients, apis } = services

  serve(api.listLogins, async ({ caller }) => {
    const logins = await store.listLogins(sql, caller.id)
    const findName = (id: string) => upstreams.find(id)?.name ?? id
    return logins.map(({ id, providerId, subject, label, linkedAt, lastUsedAt }) => ({
      id,
      provider: { id: providerId, name: findName(providerId) },
      externalId: subject,
      label,
      linkedAt,
      lastUsedAt,
      current: id === requireSession(caller).loginId,
    }))
  })

  serve(api.linkLogin, ({ caller, body, cookies }) =>
    startLink(services, caller, requireSession(caller).id, body.idp, cookies),
  )

  serve(api.unlinkLogin, ({ caller, params, visit }) => unlink(services, caller.id, params.id, visit))

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
    return listed.map((session) => ({
      ...session,
      userAgent: describeUserAgent(session.userAgent),
      current: session.id === requireSession(caller).id,
    }))
  })

  serve(api.revokeSession, async ({ caller, params, visit }) => {
    const isFound = await revokeSession(sql, caller.id, params.id, visit)
    if (!isFound) throw sessionNotFound()
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
    return { endSessionUrl: ended ? await buildUpstreamSignOutUrl(services, ended) : null }
  })

  serve(api.listActivity, async ({ caller, query }) => {
    const rows = await audit.listActivity(sql, caller.id, query.limit + 1, decodeInstantCursor(query.after))
    const cursorOf = ({ at, id }: audit.ActivityRow) => [at, id] as const
    const page = toCursorPage({ path: api.listActivity.path, query, rows, cursorOf })
    return { ...page, items: page.items.map((row) => ({ ...row, userAgent: describeUserAgent(row.userAgent) })) }
  })
}

/** Returns the caller's session, which exists because these endpoints reject bearer tokens. */
function requireSession({ session }: Caller): NonNullable<Caller['session']> {
  if (!session) throw bearerNotAccepted()
  return session
}

async function buildUpstreamSignOutUrl(
  { upstreams, vault, config }: Services,
  { idp, upstreamIdToken }: sessions.RemovedSession,
) {
  const upstream = upstreams.find(idp)
  const idToken = upstreamIdToken && vault.open(sessions.idTokenPurpose, upstreamIdToken)
  return upstream && idToken ? buildEndSessionUrl(upstreams, upstream, idToken, config.publicUrl) : null
}
