import type { ActorFields } from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Services } from '../feature.ts'
import { type Actor, isPassportRole } from '../http/caller.ts'
import type { Visit } from '../http/visit.ts'
import * as roles from '../roles/store.ts'
import { recheckToken, type ScimClient } from './authenticate.ts'
import type { Omissions } from './omissions.ts'

/** The client of a change, and the notes for the log. */
export interface ScimContext {
  services: Services
  client: ScimClient
  visit: Visit
  /** What happened other than the client may expect, as sentences. */
  notes: string[]
  omissions: Omissions
}

/**
 * Returns the clients of an organisation as the caller of a change of roles. They give none, except by the groups that they
 * manage, which never have roles of Passport itself.
 */
export const toCaller = (
  { client }: ScimContext,
  { isMembership = false }: { isMembership?: boolean } = {},
): Omit<Actor, 'orgs'> => ({
  id: `scim:${client.orgId}`,
  roles: new Set(),
  mayGive: (role) => isMembership && !isPassportRole(role),
})

/** Returns the clients of an organisation as an actor, for the audit log. */
export const actorOf = ({ client, visit }: ScimContext): ActorFields => ({ actorId: `scim:${client.orgId}`, visit })

/**
 * Runs a change in a transaction. It may change roles, by the groups and mappings of the organisation. Throws 401 if the token
 * ended while the change waited for others.
 */
export function runChange<T>({ services, client }: ScimContext, change: (sql: Sql) => Promise<T>): Promise<T> {
  return transaction(services.sql, async (sql) => {
    await roles.lockChanges(sql)
    await recheckToken(sql, client)
    return change(sql)
  })
}
