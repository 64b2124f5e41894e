import { type EndedCredentials, endAllByLogins } from '../accounts/end-sessions.ts'
import { linkLogin } from '../accounts/link-login.ts'
import { notifyOfLogin } from '../accounts/notices.ts'
import * as accounts from '../accounts/store.ts'
import * as audit from '../audit/store.ts'
import { type Sql, savepoint } from '../database/sql.ts'
import { toProviderId } from '../entra/find-upstream.ts'
import { Problem } from '../http/problem.ts'
import { applyMappings } from '../mappings/apply-mappings.ts'
import * as orgs from '../orgs/store.ts'
import { changeRoles } from '../roles/change.ts'
import * as users from '../users/store.ts'
import { actorOf, type ScimContext, toCaller } from './context.ts'
import { removeFromGroups } from './group-members.ts'
import type { PersonRow } from './user-store.ts'

/**
 * Ends the membership of a user in the organisation with its provisioned groups, and the logins at its tenant with what they
 * created. With `keepMember`, only the logins end. The last owner stays a member, and the last administrator keeps the logins. Returns what
 * ended, in words.
 */
export async function endMembership(
  sql: Sql,
  context: ScimContext,
  { id, hasGlobalRoles }: Pick<PersonRow, 'id' | 'hasGlobalRoles'>,
  { keepMember = false }: { keepMember?: boolean } = {},
): Promise<{ ended: string }> {
  const { client, services, visit } = context
  const issuer = toProviderId(client.tenantId)
  const linked = (await accounts.listLogins(sql, id)).filter((login) => login.issuer === issuer)
  const { logins, endedCredentials } = await endLogins(sql, context, { id, hasGlobalRoles }, linked)
  const ended = logins.length < linked.length ? 'the membership' : 'the membership and the login at the tenant'
  const events: audit.AuditEvent[] = logins.map(({ providerId, subject }) => ({
    action: 'login.unlinked',
    ...actorOf(context),
    target: { kind: 'user', id },
    before: { idp: providerId, issuer, subject, ...endedCredentials },
  }))
  if (!keepMember) {
    events.push(...(await leave(sql, context, id)))
    await removeFromGroups(sql, context, id)
  }
  if (events.length > 0) await audit.recordAll(sql, events)
  await applyMappings(sql, client.orgId, id)
  const user = logins.length > 0 ? await users.find(sql, id) : undefined
  if (!user) return { ended }
  const org = await orgs.findName(sql, client.orgId)
  const change = { providerName: org?.name ?? issuer, label: logins[0]?.label ?? '', isByAdministrator: true, visit }
  await notifyOfLogin(sql, services, user, { kind: 'login-unlinked', ...change })
  return { ended }
}

/** Ends logins and returns them with what they created, or none if no administrator could sign in then. */
async function endLogins(
  sql: Sql,
  context: ScimContext,
  { id, hasGlobalRoles }: Pick<PersonRow, 'id' | 'hasGlobalRoles'>,
  logins: accounts.Login[],
): Promise<{ logins: accounts.Login[]; endedCredentials?: EndedCredentials }> {
  const end = async (sql: Sql) => {
    const ended = await endAllByLogins(sql, logins)
    for (const login of logins) await accounts.removeLogin(sql, login.id)
    return { logins, endedCredentials: ended(id) }
  }
  if (!hasGlobalRoles || logins.length === 0) return end(sql)
  try {
    return await savepoint(sql, (sql) => changeRoles(sql, { caller: toCaller(context) }, [id], end))
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'last-admin')) throw error
    context.notes.push('The login at the tenant stays, because no other administrator could sign in.')
    return { logins: [] }
  }
}

/** Reports whether the login of the object id of a user is linked to them. */
export async function isLoginLinked(
  sql: Sql,
  { client }: ScimContext,
  { id, objectId }: Pick<PersonRow, 'id' | 'objectId'>,
): Promise<boolean> {
  const login = objectId === null ? undefined : await accounts.findLogin(sql, toProviderId(client.tenantId), objectId)
  return login?.userId === id
}

async function leave(sql: Sql, context: ScimContext, id: string): Promise<audit.AuditEvent[]> {
  const { orgId } = context.client
  await orgs.lock(sql, orgId)
  const [member] = await orgs.listMemberRoles(sql, orgId, [id])
  if (!member) return []
  if (member.role === 'owner' && (await orgs.countOwners(sql, orgId)) === 1) {
    context.notes.push('The user stays a member, because the organisation has no other owner.')
    return []
  }
  await orgs.removeMembers(sql, orgId, [id])
  const target = { kind: 'org', id: orgId } as const
  return [
    {
      action: 'org.member-removed',
      ...actorOf(context),
      target,
      before: { members: { [id]: member.role } },
      reason: 'scim',
    },
  ]
}

/** Makes a user a member of the organisation, and links the login of the object id. `earlier` events are recorded first. */
export async function resumeMembership(
  sql: Sql,
  context: ScimContext,
  { userId, objectId, label }: { userId: string; objectId: string | null; label: string },
  earlier: audit.AuditEvent[] = [],
): Promise<void> {
  const { orgId, tenantId } = context.client
  const issuer = toProviderId(tenantId)
  const events = [...earlier]
  const added = await orgs.addMembers(sql, orgId, [userId], { role: 'member', addedBy: null })
  if (added.length > 0)
    events.push({
      action: 'org.member-added',
      ...actorOf(context),
      target: { kind: 'org', id: orgId },
      after: { members: added, role: 'member' },
      reason: 'scim',
    })
  const loginId =
    objectId === null
      ? undefined
      : await linkLogin(sql, userId, { providerId: issuer, issuer, subject: objectId, label })
  if (loginId)
    events.push({
      action: 'login.linked',
      ...actorOf(context),
      target: { kind: 'user', id: userId },
      after: { idp: issuer, issuer, subject: objectId },
    })
  if (events.length > 0) await audit.recordAll(sql, events)
}
