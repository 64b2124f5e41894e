import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import { listOwnerAddresses } from '../entra/owner-addresses.ts'
import * as groups from '../groups/store.ts'
import { sendMail } from '../mail/send.ts'
import * as orgs from '../orgs/store.ts'
import { changeRoles } from '../roles/change.ts'
import { findTaken } from '../users/create.ts'
import { restoreWith } from '../users/states.ts'
import type { FormerMemberships, UserRow } from '../users/store.ts'
import * as users from '../users/store.ts'
import { chooseAddress, takeOwnAddress } from './account-address.ts'
import { actorOf, type ScimContext, toCaller } from './context.ts'
import * as store from './group-store.ts'
import { uniqueness } from './scim-error.ts'

/**
 * Restores a deleted user as far as the organisation may: as a plain member of the organisation itself, and of its groups
 * without roles and those of no organisation. Roles, ownerships, the groups with roles and what others gave stay removed,
 * since an administrator may have deleted the user to take them away. An account that the client governs comes back without
 * email address, since the request has it. Throws 409 `uniqueness` after the time in the trash.
 */
export function restoreUser(
  sql: Sql,
  context: ScimContext,
  row: UserRow,
  { isGoverned, note = restored('user') }: { isGoverned: boolean; note?: string },
): Promise<void> {
  return changeRoles(sql, { caller: toCaller(context) }, [row.id], async (sql) => {
    const former = row.leftBehind ?? { roles: [], groups: { member: [], owner: [] }, orgs: [] }
    const { kept, left } = await splitFormer(sql, context.client.orgId, former)
    const free = await withFreeNames(sql, context, isGoverned ? { ...row, email: null } : row)
    const { failed } = await restoreWith(() => kept)(sql, [free], actorOf(context))
    if (failed.length > 0) throw uniqueness('The user is in the trash, and can no longer be restored.')
    const name = row.displayName ?? row.username ?? row.email ?? row.id
    context.notes.push(note)
    await reportLeft(sql, context, { kind: 'user', id: row.id, name }, left)
  })
}

/** Returns the note of a restore, for the log. */
export const restored = (kind: 'user' | 'group') => `The ${kind} was in the trash and was restored with the same id.`

/**
 * Omits the names that other accounts have now: a conflict would disclose that they exist. An address at a domain of the
 * organisation is taken from accounts that have not proven it.
 */
async function withFreeNames(sql: Sql, context: ScimContext, row: UserRow): Promise<UserRow> {
  const { id, username, email } = row
  await users.lockEmails(sql)
  const address = await chooseAddress(sql, context.client.orgId, { email, statedEmail: email }, { id, email: null })
  await takeOwnAddress(sql, context, address)
  const taken = await findTaken(sql, lower(address.email), lower(username), id)
  return {
    ...row,
    email: taken.emails.size > 0 ? null : address.email,
    username: taken.usernames.size > 0 ? null : username,
  }
}

const lower = (text: string | null) => (text === null ? [] : [text.toLowerCase()])

async function splitFormer(sql: Sql, orgId: string, former: FormerMemberships) {
  const memberOf = new Set(former.groups.member.map(({ groupId }) => groupId))
  const ownerOf = new Set(former.groups.owner.map(({ groupId }) => groupId))
  const found = await groups.listFormer(sql, [...memberOf, ...ownerOf])
  const managed = await store.filterManaged(sql, [...memberOf])
  const isKept = (group: groups.FormerGroup) => !group.hasRoles && (group.orgId === null || group.orgId === orgId)
  const keptIds = new Set(found.filter(isKept).map(({ id }) => id))
  const own = former.orgs.filter((org) => org.orgId === orgId)
  const kept: FormerMemberships = {
    roles: [],
    groups: { member: former.groups.member.filter(({ groupId }) => keptIds.has(groupId)), owner: [] },
    orgs: own.map((org) => ({ ...org, role: 'member' })),
  }
  const leftGroups = found.filter(({ id }) => memberOf.has(id) && !keptIds.has(id))
  const leftOwnerships = found.filter(({ id }) => ownerOf.has(id))
  const isOwn = (group: groups.FormerGroup) => group.orgId === orgId
  const left: Left = {
    roles: former.roles.map(({ role }) => role).sort(),
    groups: leftGroups.map(toName),
    ownerships: leftOwnerships.map(toName),
    orgRoles: own.flatMap(({ role }) => (role === 'member' ? [] : role)),
    orgIds: former.orgs.flatMap((org) => (org.orgId === orgId ? [] : org.orgId)),
    shown: {
      // The client itself adds the user again to the groups that it manages.
      groups: leftGroups.filter((group) => isOwn(group) && !managed.has(group.id)).map(toName),
      ownerships: leftOwnerships.filter(isOwn).map(toName),
      hasOthers: [...leftGroups, ...leftOwnerships].some((group) => !isOwn(group)),
    },
  }
  return { kept, left }
}

const toName = ({ name }: { name: string }) => name

/** What a restore did not bring back. */
interface Left {
  roles: string[]
  /** The names of groups of which the user was a member. */
  groups?: string[]
  /** The names of groups that the user owned. */
  ownerships?: string[]
  /** The former role in the organisation, other than member. */
  orgRoles?: string[]
  /** Other organisations, which the client need not know of. */
  orgIds?: string[]
  /** What the client and the owners of the organisation may know of the groups. */
  shown?: { groups: string[]; ownerships: string[]; hasOthers: boolean }
}

const nothingShown = { groups: [], ownerships: [], hasOthers: false }

/**
 * Reports what a restore did not bring back: all in the audit log, and what concerns the organisation in the log of the
 * client and in a mail to the owners, at most once a day for a user or group.
 */
export async function reportLeft(
  sql: Sql,
  context: ScimContext,
  { kind, id, name }: { kind: 'user' | 'group'; id: string; name: string },
  { roles, groups = [], ownerships = [], orgRoles = [], orgIds = [], shown = nothingShown }: Left,
): Promise<void> {
  if ([roles, groups, ownerships, orgRoles, orgIds].every((names) => names.length === 0)) return
  const left = [
    ...formatNames('roles', roles),
    ...formatNames('groups with roles', shown.groups),
    ...formatNames('ownership of groups', shown.ownerships),
    ...formatNames('role in the organisation', orgRoles),
    ...(shown.hasOthers ? ['groups of others'] : []),
  ].join('; ')
  const event = { action: `${kind}.roles-left`, target: { kind, id }, after: { mailed: true } } as const
  const isMailed = left !== '' && !(await audit.hasHappenedToday(sql, event))
  await audit.record(sql, {
    ...event,
    ...actorOf(context),
    before: { roles, groups, ownerships, orgRoles, orgs: orgIds },
    after: { mailed: isMailed },
  })
  if (left === '') return
  context.notes.push(`Not restored: ${left}. An administrator can give them again.`)
  if (isMailed) await mailOwners(sql, context, { kind, name, left })
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
