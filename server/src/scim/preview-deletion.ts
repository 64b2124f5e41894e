import type { ScimDeletion } from '@passport/contract/scim'
import { restorableDays } from '@passport/contract/trash'
import * as sessions from '../accounts/session-store.ts'
import type { Sql } from '../database/sql.ts'
import { toProviderId } from '../entra/find-upstream.ts'
import * as entra from '../entra/store.ts'
import * as lists from '../groups/list-store.ts'
import * as users from '../users/store.ts'
import { decide, listLimits } from './decide.ts'
import * as groups from './group-store.ts'
import { describeLimits, toPerson } from './person.ts'
import * as problems from './problems.ts'
import * as store from './user-store.ts'

/** Returns what a DELETE of a user by a SCIM client would do, by the rules that decide it. Throws 404. */
export async function previewUserDeletion(sql: Sql, orgId: string, id: string): Promise<ScimDeletion> {
  const found = await store.findPerson(sql, orgId, id)
  const [row] = await users.listRows(sql, [id])
  if (!found || !row || found.deletedAt !== null) throw problems.recordNotFound()
  const person = toPerson(found)
  const decision = decide('delete', person)
  const name = row.displayName ?? row.username ?? row.email ?? id
  const shared = { kind: 'user' as const, id, name, reasons: listLimits(person) }
  const nothing = { sessions: 0, groups: 0, roles: [], members: 0 }
  if (decision === 'not-found')
    return {
      ...shared,
      outcome: 'refused',
      sentence: `Nothing happens to ${name}: the client gets 404, because SCIM does not provision this user.`,
      ends: nothing,
      restorableDays: null,
    }
  const live = await sessions.list(sql, id)
  if (decision === 'trash-account')
    return {
      ...shared,
      outcome: 'trash',
      sentence: `${name} is signed out everywhere and moves to the trash, from which the client or an administrator can restore the account for ${restorableDays} days.`,
      ends: {
        sessions: live.length,
        groups: (await users.findAccess(sql, id))?.groups.length ?? 0,
        roles: row.effectiveRoles,
        members: 0,
      },
      restorableDays,
    }
  const tenant = await entra.find(sql, orgId)
  const provider = tenant && toProviderId(tenant.tenantId)
  return {
    ...shared,
    outcome: 'membership',
    sentence: `${name} leaves the organisation and loses the login at its tenant. The account stays, because ${describeLimits(found)}.`,
    ends: {
      sessions: live.filter(({ idp }) => idp === provider).length,
      groups: found.groups.length,
      roles: [],
      members: 0,
    },
    restorableDays: null,
  }
}

/** Returns what a DELETE of a group by a SCIM client would do. Throws 404. */
export async function previewGroupDeletion(sql: Sql, orgId: string, id: string): Promise<ScimDeletion> {
  const group = await lists.find(sql, id, null)
  if (!group || group.deletedAt !== null || group.orgId !== orgId) throw problems.recordNotFound()
  const [managed] = await groups.listByIds(sql, orgId, [id], { withMembers: false })
  const { name, memberCount, roles } = group
  const shared = { kind: 'group' as const, id, name }
  if (!managed)
    return {
      ...shared,
      outcome: 'refused',
      reasons: ['not-provisioned'],
      sentence: `Nothing happens to ${name}: the client gets 404, because an administrator created the group.`,
      ends: { sessions: 0, groups: 0, roles: [], members: 0 },
      restorableDays: null,
    }
  return {
    ...shared,
    outcome: 'trash',
    reasons: [],
    sentence: `${name} moves to the trash for ${restorableDays} days. Its members lose the roles that it gives, and keep their accounts.`,
    ends: { sessions: 0, groups: 0, roles, members: memberCount },
    restorableDays,
  }
}
