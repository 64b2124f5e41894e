import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import { listOwnerAddresses } from '../entra/owner-addresses.ts'
import * as groups from '../groups/store.ts'
import { sendMail } from '../mail/send.ts'
import * as orgs from '../orgs/store.ts'
import { changeRoles } from '../roles/change.ts'
import { restoreWith } from '../users/states.ts'
import type { FormerMemberships, UserRow } from '../users/store.ts'
import { actorOf, type ScimContext, toCaller } from './context.ts'
import { uniqueness } from './scim-error.ts'

/**
 * Restores a deleted user as far as the organisation may: with the groups without roles, and as a plain member of the
 * organisation itself. Roles, the groups with roles and other organisations stay removed, since an administrator may have
 * deleted the user to take them away. The log of the client, the audit event and a mail to the owners list them. Throws 409
 * `uniqueness` if another user has the email address or the username now.
 */
export function restoreUser(sql: Sql, context: ScimContext, row: UserRow): Promise<void> {
  return changeRoles(sql, { caller: toCaller(context) }, [row.id], async (sql) => {
    const former = row.leftBehind ?? { roles: [], groups: { member: [], owner: [] }, orgs: [] }
    const { kept, left } = await splitFormer(sql, context.client.orgId, former)
    const { failed } = await restoreWith(() => kept)(sql, [row], actorOf(context))
    if (failed.length > 0)
      throw uniqueness('The user is in the trash, and another user has their email address or username now.')
    const name = row.displayName ?? row.username ?? row.email ?? row.id
    await reportLeft(sql, context, { kind: 'user', id: row.id, name }, left)
  })
}

async function splitFormer(sql: Sql, orgId: string, former: FormerMemberships) {
  const ids = [...former.groups.member, ...former.groups.owner].map(({ groupId }) => groupId)
  const withRoles = await groups.filterWithRoles(sql, ids)
  const isKept = ({ groupId }: { groupId: string }) => !withRoles.has(groupId)
  const own = former.orgs.filter((org) => org.orgId === orgId)
  const kept: FormerMemberships = {
    roles: [],
    groups: { member: former.groups.member.filter(isKept), owner: former.groups.owner.filter(isKept) },
    orgs: own.map((org) => ({ ...org, role: 'member' })),
  }
  const left: Left = {
    roles: former.roles.map(({ role }) => role).sort(),
    groups: (await groups.listNames(sql, [...withRoles])).map(({ name }) => name),
    orgRoles: own.flatMap(({ role }) => (role === 'member' ? [] : role)),
    orgIds: former.orgs.flatMap((org) => (org.orgId === orgId ? [] : org.orgId)),
  }
  return { kept, left }
}

/** What a restore did not bring back. */
interface Left {
  roles: string[]
  /** The names of groups with roles. */
  groups?: string[]
  /** The former role in the organisation, other than member. */
  orgRoles?: string[]
  /** Other organisations, which the client need not know of. */
  orgIds?: string[]
}

/** Reports what a restore did not bring back: in the log of the client, in the audit log, and in a mail to the owners. */
export async function reportLeft(
  sql: Sql,
  context: ScimContext,
  { kind, id, name }: { kind: 'user' | 'group'; id: string; name: string },
  { roles, groups = [], orgRoles = [], orgIds = [] }: Left,
): Promise<void> {
  context.notes.push(`The ${kind} was in the trash and was restored with the same id.`)
  if (roles.length + groups.length + orgRoles.length + orgIds.length === 0) return
  await audit.record(sql, {
    action: `${kind}.roles-left`,
    ...actorOf(context),
    target: { kind, id },
    before: { roles, groups, orgRoles, orgs: orgIds },
  })
  const left = [
    ...formatNames('roles', roles),
    ...formatNames('groups with roles', groups),
    ...formatNames('role in the organisation', orgRoles),
  ].join('; ')
  if (left === '') return
  context.notes.push(`Not restored: ${left}. An administrator can give them again.`)
  await mailOwners(sql, context, { kind, name, left })
}

async function mailOwners(
  sql: Sql,
  { services, client: { orgId } }: ScimContext,
  restored: { kind: 'user' | 'group'; name: string; left: string },
): Promise<void> {
  const org = await orgs.findName(sql, orgId)
  const { recipients, isForOwners } = await listOwnerAddresses(sql, orgId)
  for (const to of recipients)
    await sendMail(sql, services, to, 'roles-left', {
      ...restored,
      orgId,
      orgName: org?.name ?? '',
      isOwner: isForOwners,
    })
}

const formatNames = (noun: string, names: string[]): string[] =>
  names.length === 0 ? [] : [`${noun} (${names.join(', ')})`]
