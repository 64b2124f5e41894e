import { v7 as uuid } from 'uuid'
import { sessionLifetimeDays } from './accounts/session-store.ts'
import type { Sql } from './database/sql.ts'
import type { NewSession } from './login/store.ts'
import { generateToken, hashToken } from './vault.ts'

type Details = Partial<NewSession> & { userId: string; loginId: string }

/** Starts a session without a sign-in, just authenticated at the built-in directory, and returns its token. */
export async function startTestSession(sql: Sql, details: Details): Promise<string> {
  const token = generateToken()
  const session = {
    idp: 'local',
    authTime: new Date().toISOString(),
    amr: ['pwd'],
    acr: null,
    upstreamIdToken: null,
    ...details,
  }
  await sql`
    insert into sessions (
      token_hash, id, user_id, login_id, idp, auth_time, amr, acr, ip, user_agent, upstream_id_token, expires_at
    ) values (
      ${hashToken(token)}, ${uuid()}, ${session.userId}, ${session.loginId}, ${session.idp}, ${session.authTime},
      ${session.amr}, ${session.acr}, '127.0.0.1', 'test', ${session.upstreamIdToken},
      now() + make_interval(days => ${sessionLifetimeDays})
    )`
  return token
}
