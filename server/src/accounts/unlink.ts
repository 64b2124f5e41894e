import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Services } from '../feature.ts'
import type { Visit } from '../http/visit.ts'
import type { MailContext } from '../mail/send.ts'
import { changeRoles, type RoleChangeContext } from '../roles/change.ts'
import * as users from '../users/store.ts'
import { endAllByLogins } from './end-sessions.ts'
import { notifyOfLogin } from './notices.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

/**
 * Unlinks a login, which it returns, ends what it created (`endAllByLogins`), and notifies the user. Throws 404, and 409 `last-login` for a
 * user's own last login. An administrator may unlink the last login of another user: with `actor`, `changeRoles` guards
 * the change.
 */
export function unlink(
  services: UnlinkContext,
  userId: string,
  loginId: string,
  visit: Visit,
  actor?: RoleChangeContext['caller'],
): Promise<store.Login> {
  const remove = (sql: Sql) => removeLogin(sql, services, userId, loginId, visit, actor?.id ?? userId)
  return actor ? changeRoles(services.sql, { caller: actor }, [userId], remove) : transaction(services.sql, remove)
}

/** The services that unlinking needs, and the names of identity providers. */
type UnlinkContext = MailContext & Pick<Services, 'sql'> & { nameOf: (providerId: string) => Promise<string> }

async function removeLogin(
  sql: Sql,
  services: UnlinkContext,
  userId: string,
  loginId: string,
  visit: Visit,
  actorId: string,
) {
  // Serializes concurrent calls, which could otherwise each remove the other's last login.
  const user = await users.lock(sql, userId)
  const logins = await store.listLogins(sql, userId)
  const login = logins.find(({ id }) => id === loginId)
  if (!login) throw problems.loginNotFound()
  if (logins.length === 1 && actorId === userId) throw problems.lastLogin()
  const ended = await endAllByLogins(sql, [login])
  await store.removeLogin(sql, loginId)
  await audit.record(sql, {
    action: 'login.unlinked',
    actorId,
    target: { kind: 'user', id: userId },
    before: { idp: login.providerId, issuer: login.issuer, subject: login.subject, ...ended(userId) },
    visit,
  })
  if (user)
    await notifyOfLogin(sql, services, user, {
      kind: 'login-unlinked',
      providerName: await services.nameOf(login.providerId),
      label: login.label,
      isByAdministrator: actorId !== userId,
      visit,
    })
  return login
}
