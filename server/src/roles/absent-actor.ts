import * as clients from '../clients/store.ts'
import type { Sql } from '../database/sql.ts'
import { asAdministrator, type Caller } from '../http/caller.ts'
import * as store from './store.ts'

/**
 * Returns the actor with this id, who is absent, with their current roles: a user, or an application that acts as an
 * administrator. A disabled or deleted one has none.
 */
export async function loadAbsentActor(
  sql: Sql,
  id: string,
): Promise<Pick<Caller, 'id' | 'roles' | 'isAbsent' | 'client'>> {
  const clientId = /^client:(.+)$/.exec(id)?.[1]
  if (clientId === undefined) return { id, roles: await store.listActiveRoles(sql, id), isAbsent: true }
  const client = await clients.find(sql, clientId)
  if (!client?.scopes.includes('passport.admin')) return { id, roles: new Set(), isAbsent: true }
  const { roles, client: caller } = asAdministrator({ clientId, name: client.name, scopes: new Set(client.scopes) })
  return { id, roles, ...(caller && { client: caller }) }
}
