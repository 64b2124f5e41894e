import * as api from '@passport/contract/accounts'
import * as audit from '../audit/store.ts'
import { revoke } from '../consents/revoke.ts'
import * as consents from '../consents/store.ts'
import type { Caller } from '../http/caller.ts'
import { cursorPageOf, decodeInstantCursor } from '../http/paging.ts'
import { Problem } from '../http/problem.ts'
import { endSessionAddress } from '../login/upstream-flow.ts'
import { toldScopes } from '../provider/scopes.ts'
import type { Room, Services } from '../room.ts'
import { clearSession } from '../sessions/cookie.ts'
import { endEverywhere, endSessionOf, revokeOtherSessions, revokeSession } from '../sessions/end.ts'
import * as sessions from '../sessions/store.ts'
import { startLink } from './link.ts'
import * as store from './store.ts'
import { unlink } from './unlink.ts'
import { describeUserAgent } from './user-agent.ts'

/** What people see and change of their own account: the ways into it, where they are signed in, what happened. */
export const accounts: Room = ({ serve }, services) => {
  const { sql, door, upstreams, clients } = services

  serve(api.listLogins, async ({ caller }) => {
    const logins = await store.listLogins(sql, caller.id)
    const nameOf = (id: string) => upstreams.find(id)?.name ?? id
    return logins.map(({ id, providerId, subject, label, linkedAt, lastUsedAt }) => ({
      id,
      provider: { id: providerId, name: nameOf(providerId) },
      externalId: subject,
      label,
      linkedAt,
      lastUsedAt,
      current: id === sessionOf(caller).loginId,
    }))
  })

  serve(api.linkLogin, ({ caller, body, cookies }) =>
    startLink(services, caller, sessionOf(caller).id, body.idp, cookies),
  )

  serve(api.unlinkLogin, ({ caller, params, visit }) => unlink(sql, caller.id, params.id, visit))

  serve(api.listConsents, async ({ caller }) => {
    const listed = await consents.list(sql, caller.id)
    return Promise.all(
      listed.map(async ({ id, clientId, scopes, grantedAt, lastUsedAt }) => ({
        id,
        client: { id: clientId, name: (await clients.find(clientId))?.name ?? clientId },
        scopes: toldScopes(scopes),
        grantedAt,
        lastUsedAt,
      })),
    )
  })

  serve(api.revokeConsent, ({ caller, params, visit }) => revoke(sql, caller.id, params.id, visit))

  serve(api.listSessions, async ({ caller }) => {
    const listed = await sessions.list(sql, caller.id)
    return listed.map((session) => ({
      ...session,
      userAgent: describeUserAgent(session.userAgent),
      current: session.id === sessionOf(caller).id,
    }))
  })

  serve(api.revokeSession, async ({ caller, params, visit }) => {
    const isFound = await revokeSession(sql, caller.id, params.id, visit)
    if (!isFound) throw new Problem(404, 'session-not-found', 'There is no such session.')
  })

  serve(api.revokeOtherSessions, async ({ caller, visit }) => ({
    revoked: await revokeOtherSessions(sql, caller.id, sessionOf(caller).id, visit),
  }))

  serve(api.signOut, async ({ caller, body, cookies, visit }) => {
    const token = cookies.get(door.sessionCookie) ?? ''
    const ended = await endSessionOf(sql, token, { visit })
    if (body.everywhere) await endEverywhere(sql, caller.id, visit)
    clearSession(cookies, door)
    return { endSessionUrl: ended ? await upstreamSignOut(services, ended) : null }
  })

  serve(api.listActivity, async ({ caller, query }) => {
    const rows = await audit.listActivity(sql, caller.id, query.limit + 1, decodeInstantCursor(query.after))
    const cursorOf = ({ at, id }: audit.ActivityRow) => [at, id] as const
    const page = cursorPageOf({ path: api.listActivity.path, query, rows, cursorOf })
    return { ...page, items: page.items.map((row) => ({ ...row, userAgent: describeUserAgent(row.userAgent) })) }
  })
}

/** These calls take no bearer token, so whoever gets here has a session. */
function sessionOf({ session }: Caller): NonNullable<Caller['session']> {
  if (!session) throw new Problem(403, 'bearer-not-accepted', 'This call takes a session, not a token.')
  return session
}

async function upstreamSignOut(
  { upstreams, vault, config }: Services,
  { idp, upstreamIdToken }: sessions.RemovedSession,
) {
  const upstream = upstreams.find(idp)
  const idToken = upstreamIdToken && vault.open('upstream-id-token', upstreamIdToken)
  return upstream && idToken ? endSessionAddress(upstreams, upstream, idToken, config.publicUrl) : null
}
