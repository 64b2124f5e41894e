import type { Sql } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import * as store from './store.ts'

/** The caller that a session cookie stands for. */
export async function callerBySession(sql: Sql, token: string): Promise<Caller | undefined> {
  const session = await store.findByToken(sql, token)
  return session && callerOf(session)
}

/** The same person in the words that every room uses. */
function callerOf(session: store.SessionCaller): Caller {
  return {
    id: session.userId,
    roles: new Set(session.roles),
    orgs: session.orgs,
    idp: session.idp,
    authTime: session.authTime,
    name: session.displayName,
    username: session.username,
    email: session.email,
    session: {
      id: session.sessionId,
      loginId: session.loginId,
      lastSeenAt: session.lastSeenAt,
      tokenHash: session.tokenHash,
      amr: session.amr,
      interaction: session.interaction,
    },
  }
}
