import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Visit } from '../http/visit.ts'
import { changeRoles, type RoleChangeContext } from '../roles/change.ts'
import * as users from '../users/store.ts'
import { endAllByLogin } from './end-sessions.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

/**
 * Unlinks a login, and ends the sessions that it started with their grants. Throws 404, and 409 `last-login` for a
 * user's own last login. An administrator may unlink the last login of another user: with `actor`, `changeRoles` guards
 * the change.
 */
export function unlink(
  sql: Sql,
  userId: string,
  loginId: string,
  visit: Visit,
  actor?: RoleChangeContext['caller'],
): Promise<void> {
  const remove = (sql: Sql) => removeLogin(sql, userId, loginId, visit, actor?.id ?? userId)
  return actor ? changeRoles(sql, { caller: actor }, [userId], remove) : transaction(sql, remove)
}

async function removeLogin(sql: Sql, userId: string, loginId: string, visit: Visit, actorId: string) {
  // Serializes concurrent calls, which could otherwise each remove the other's last login.
  await users.lock(sql, userId)
  const logins = await store.listLogins(sql, userId)
  const login = logins.find(({ id }) => id === loginId)
  if (!login) throw problems.loginNotFound()
  if (logins.length === 1 && actorId === userId) throw problems.lastLogin()
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
