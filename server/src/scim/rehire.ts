import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import { remove } from '../users/states.ts'
import * as users from '../users/store.ts'
import { actorOf, type ScimContext } from './context.ts'
import { listLimits } from './decide.ts'
import { endMembership, resumeMembership } from './membership.ts'
import { toPerson } from './person.ts'
import { restoreUser } from './restore.ts'
import { resourceNotFound } from './scim-error.ts'
import { noteNoLogin } from './user-changes.ts'
import * as store from './user-store.ts'
import type { UserValues } from './user-values.ts'

/** Reports whether clients have deactivated a user: the user name is no longer held against the organisation itself. */
export const isDeactivated = ({ attributes }: store.PersonRow): boolean => attributes?.['active'] === false

/** Reports whether a deactivated user may come back under another external id: only if SCIM governs the whole account. */
export const canReturn = (found: store.PersonRow): boolean =>
  isDeactivated(found) && listLimits(toPerson(found)).length === 0

/**
 * Gives the account of a deactivated user to the one who comes back under another external id. It may be another person with
 * the same name, so that it has what a deleted user has after a restore: the login of the former object id, the roles, and
 * what others gave are gone. The caller applies the values of the request.
 */
export async function rehire(
  sql: Sql,
  context: ScimContext,
  { row, found }: { row: users.UserRow; found: store.PersonRow },
  values: UserValues,
): Promise<void> {
  const { orgId } = context.client
  const { id } = row
  const actor = { ...actorOf(context), reason: 'rehired' }
  await endMembership(sql, context, found, { keepMember: true })
  await remove(sql, [row], actor)
  const [removed] = await users.lockRows(sql, [id])
  if (!removed) throw resourceNotFound('User', id)
  const note = 'The user was deactivated and comes back with another externalId: the account is the same.'
  await restoreUser(sql, context, removed, { isGoverned: true, note })
  const { externalId, objectId, userName, email, attributes } = values
  await store.save(sql, orgId, id, { externalId, objectId, userName, attributes, governs: 'account' })
  await resumeMembership(sql, context, { userId: id, objectId, label: email ?? userName })
  noteNoLogin(context, values)
  await audit.record(sql, {
    action: 'user.adopted',
    ...actor,
    target: { kind: 'user', id },
    before: { externalId: found.externalId },
    after: { org: orgId, governs: 'account', externalId },
  })
}
