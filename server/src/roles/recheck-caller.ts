import * as clients from '../clients/store.ts'
import type { Sql } from '../database/sql.ts'
import type { Actor } from '../http/caller.ts'
import { Problem } from '../http/problem.ts'
import { clientNotAccepted, notSignedIn, roleMissing, setupLinkRequired } from '../http/problems.ts'
import * as setupLinks from '../setup/store.ts'
import * as users from '../users/store.ts'
import * as store from './store.ts'

type RecheckedCaller = Pick<Actor, 'id' | 'roles' | 'client' | 'setupLinkId'>

/** Thrown if the caller has lost their authorization, for this change and any other. */
export class CallerNoLongerAuthorized extends Problem {
  constructor({ status, code, message, ...options }: Problem) {
    super(status, code, message, options)
  }
}

/**
 * Checks the caller again once a change has its locks, since the caller may lose their authorization while waiting for
 * them. Throws 403 `role-missing` if a role was lost, and 401 if a caller without roles is disabled or deleted, or a set-up
 * link has ended.
 */
export async function recheckCaller(sql: Sql, caller: RecheckedCaller): Promise<void> {
  if (caller.id === null) return
  if (caller.setupLinkId !== undefined) {
    if (await setupLinks.lockInUse(sql, caller.setupLinkId)) return
    throw new CallerNoLongerAuthorized(setupLinkRequired())
  }
  if (caller.roles.size > 0) return recheckCallerRoles(sql, caller)
  const user = await users.find(sql, caller.id)
  if (!user || user.disabledAt !== null) throw new CallerNoLongerAuthorized(notSignedIn())
}

/**
 * Like `recheckCaller`, for a change that creates a link in the name of the caller. The lock-down of a user, or the deletion of an
 * application, ends their links: it waits for this change, or has happened.
 */
export async function recheckCreator(sql: Sql, caller: RecheckedCaller): Promise<void> {
  if (caller.client) await clients.listKinds(sql, [caller.client.clientId])
  else if (caller.id !== null) await users.lockExisting(sql, [caller.id])
  await recheckCaller(sql, caller)
}

/** Like `recheckCaller`, for the roles alone; a disabled user has none. A client must still have its scope. */
export async function recheckCallerRoles(sql: Sql, { id, roles, client }: RecheckedCaller): Promise<void> {
  if (id === null || roles.size === 0) return
  if (client) {
    const current = await clients.find(sql, client.clientId)
    if (!current?.scopes.includes('passport.admin')) throw new CallerNoLongerAuthorized(clientNotAccepted())
    return
  }
  const currentRoles = await store.listActiveRoles(sql, id)
  const lost = [...roles].find((role) => !currentRoles.has(role))
  if (lost) throw new CallerNoLongerAuthorized(roleMissing(lost))
}
