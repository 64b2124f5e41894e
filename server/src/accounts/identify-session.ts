import type { Sql } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import * as store from './session-store.ts'

/** Returns the caller of a session cookie; undefined if the session has ended or the user is disabled. */
export async function findCallerBySession(sql: Sql, token: string): Promise<Caller | undefined> {
  const session = await store.findByToken(sql, token)
  return session && toCaller(session)
}

function toCaller(session: store.SessionCaller): Caller {
  return {
    id: session.userId,
    roles: new Set(session.roles),
    orgs: session.orgs,
    idp: session.idp,
    idpName: session.orgName,
    authTime: session.authTime,
    name: session.displayName,
    username: session.username,
    email: session.email,
    pictureHash: session.pictureHash,
    session: {
      id: session.sessionId,
      loginId: session.loginId,
      browserId: session.browserId,
      lastSeenAt: session.lastSeenAt,
      tokenHash: session.tokenHash,
      amr: session.amr,
      acr: session.acr,
      interaction: session.interaction,
    },
  }
}
