import type { Group, GroupUser } from '@passport/contract/groups'
import * as api from '@passport/contract/groups'
import type { PageQuery } from '@passport/contract/page'
import type { Sql } from '../database/sql.ts'
import type { Feature } from '../feature.ts'
import { decodeInstantCursor, offsetOf, toPage } from '../http/paging.ts'
import { Created, WithETag } from '../http/serve.ts'
import { takeLost } from '../mappings/apply-mappings.ts'
import { toPictureUrl } from '../profile/avatar-url.ts'
import { requireOwner, requireVisibleGroup } from './access.ts'
import { changeGroupRoles, createGroup, deleteGroup, restoreGroup, updateGroup } from './lifecycle.ts'
import { listGroupChanges, listGroups, toSummary } from './list-groups.ts'
import type { GroupRow } from './list-store.ts'
import { lookUpUsers } from './look-up.ts'
import * as memberStore from './member-store.ts'
import { changeMembership } from './membership.ts'

/** Serves groups of users, which are managed by their owners. */
export const groups: Feature = ({ serve }, { config, sql }) => {
  const { publicUrl } = config
  const respondWithGroup = async (group: GroupRow) =>
    new WithETag(await readGroup(sql, publicUrl, group), validatorsOf(group))

  serve(api.listGroups, ({ query, caller }) =>
    query.updatedSince === undefined
      ? listGroups(sql, query, caller)
      : listGroupChanges(sql, query.updatedSince, query, caller),
  )

  serve(api.createGroup, async ({ body, caller, visit }) => {
    const group = await createGroup(sql, body, { caller, visit })
    return new Created(await readGroup(sql, publicUrl, group), pathOf(group.id), validatorsOf(group))
  })

  serve(api.getGroup, async ({ params, caller, preconditions }) => {
    const group = await requireVisibleGroup(sql, params.id, caller)
    preconditions.check(validatorsOf(group))
    return respondWithGroup(group)
  })

  serve(api.putGroup, async ({ params, body, caller, visit, preconditions }) => {
    const { name, description } = body
    return respondWithGroup(
      await updateGroup(sql, params.groupId, { name, description }, { caller, visit, preconditions }),
    )
  })

  serve(api.deleteGroup, ({ params, query, caller, visit, preconditions }) =>
    deleteGroup(sql, params.id, { ...query, caller, visit, preconditions }),
  )

  serve(api.restoreGroup, async ({ params, query, body, caller, visit, preconditions }) =>
    respondWithGroup(
      await restoreGroup(sql, params.id, body.name, { ...query, caller, visit, preconditions }, takeLost),
    ),
  )

  serve(api.putGroupRoles, async ({ params, query, body, caller, visit, preconditions }) =>
    respondWithGroup(
      await changeGroupRoles(sql, params.groupId, body.roles, { ...query, caller, visit, preconditions }),
    ),
  )

  for (const [endpoint, list] of [
    [api.listGroupMembers, 'members'],
    [api.listGroupOwners, 'owners'],
  ] as const)
    serve(endpoint, async ({ params, query, caller }) => {
      const group = await requireVisibleGroup(sql, params.groupId, caller)
      const words = query.query?.trim() || null
      const page = { words, after: decodeInstantCursor(query.after), offset: offsetOf(query), limit: query.limit }
      const rows = await memberStore.list(sql, group.id, list, page)
      const count = words === null ? undefined : await memberStore.countMatches(sql, group.id, list, words)
      return toUserPage(publicUrl, group, { list, query, rows, count })
    })

  serve(api.lookUpUsers, async ({ params, body, caller }) => {
    const group = await requireVisibleGroup(sql, params.groupId, caller)
    requireOwner(group, caller)
    return lookUpUsers(sql, group.id, body.lines, caller)
  })

  for (const [endpoint, list, action] of [
    [api.addGroupMembers, 'members', 'add'],
    [api.removeGroupMembers, 'members', 'remove'],
    [api.addGroupOwners, 'owners', 'add'],
    [api.removeGroupOwners, 'owners', 'remove'],
  ] as const)
    serve(endpoint, async ({ params, query, body, caller, visit, preconditions }) => {
      const change = { list, action, userIds: body[list as keyof typeof body] }
      const context = { ...query, caller, visit, preconditions }
      const { after, ...changed } = await changeMembership(sql, params.groupId, change, context)
      return new WithETag(changed, validatorsOf(after))
    })
}

const pathOf = (id: string) => `/passport/groups/${encodeURIComponent(id)}`

const validatorsOf = ({ version, lastModified }: GroupRow) => ({ etag: version, lastModified })

/** The maximum number of members, and of owners, returned with a group. */
const embeddedUsers = 200

async function readGroup(sql: Sql, publicUrl: string, group: GroupRow): Promise<Group> {
  const { members, owners } = await memberStore.listFirst(sql, group.id, embeddedUsers)
  const query = { limit: embeddedUsers, page: 1 }
  const firstMembers = toUserPage(publicUrl, group, { list: 'members', query, rows: members })
  const firstOwners = toUserPage(publicUrl, group, { list: 'owners', query, rows: owners })
  return {
    ...toSummary(group),
    members: firstMembers.items,
    membersNext: firstMembers.next,
    owners: firstOwners.items,
    ownersNext: firstOwners.next,
  }
}

interface UserPageInput {
  list: memberStore.GroupList
  query: PageQuery
  rows: memberStore.GroupUserRow[]
  /** All of the list by default. */
  count?: number | undefined
}

function toUserPage(publicUrl: string, group: GroupRow, { list, query, rows, count }: UserPageInput) {
  const page = toPage({
    path: `${pathOf(group.id)}/${list}`,
    query,
    rows,
    count: count ?? (list === 'members' ? group.memberCount : group.ownerCount),
    cursorOf: ({ addedAt, id }) => [addedAt, id],
  })
  const toUser = ({ pictureHash, source, ...user }: memberStore.GroupUserRow): GroupUser => ({
    ...user,
    ...(source && { source }),
    avatarPngUrl: toPictureUrl(publicUrl, pictureHash),
  })
  return { ...page, items: page.items.map(toUser) }
}
