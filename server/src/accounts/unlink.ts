import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { Problem } from '../http/problem.ts'
import type { Visit } from '../http/visit.ts'
import { type By, changeRoles } from '../roles/change.ts'
import { endAllByLogin } from '../sessions/end.ts'
import * as users from '../users/store.ts'
import * as store from './store.ts'

/**
 * Takes a way into an account away, and ends the sessions that came in by it with what was allowed in them. Nobody takes
 * their own last way: 409 `last-login`; an administrator may take it from somebody else, behind the guards of
 * `changeRoles`.
 */
export function unlink(sql: Sql, userId: string, loginId: string, visit: Visit, by?: By['caller']): Promise<void> {
  const take = (sql: Sql) => takeLogin(sql, userId, loginId, visit, by?.id ?? userId)
  return by ? changeRoles(sql, { caller: by }, [userId], take) : transaction(sql, take)
}

async function takeLogin(sql: Sql, userId: string, loginId: string, visit: Visit, actorId: string) {
  // Two at once must not take each other's last.
  await users.lock(sql, userId)
  const logins = await store.listLogins(sql, userId)
  const login = logins.find(({ id }) => id === loginId)
  if (!login) throw new Problem(404, 'login-not-found', 'There is no such login.')
  if (logins.length === 1 && actorId === userId)
    throw new Problem(409, 'last-login', 'This is the only way into your account. Link another one first.')
  await endAllByLogin(sql, userId, loginId)
  await store.removeLogin(sql, loginId)
  await audit.record(sql, {
    action: 'login.unlinked',
    actorId,
    target: { kind: 'user', id: userId },
    before: { idp: login.providerId, issuer: login.issuer, subject: login.subject },
    visit,
  })
}
