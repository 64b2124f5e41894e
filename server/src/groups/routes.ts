import type { Group, GroupPerson } from '@passport/contract/groups'
import * as api from '@passport/contract/groups'
import type { PageQuery } from '@passport/contract/page'
import type { Sql } from '../database/sql.ts'
import type { Feature } from '../feature.ts'
import { decodeInstantCursor, offsetOf, toPage } from '../http/paging.ts'
import { Created, WithETag } from '../http/serve.ts'
import { requireOwner, requireVisibleGroup } from './access.ts'
import { changeGroupRoles, createGroup, deleteGroup, renameGroup, restoreGroup } from './lifecycle.ts'
import type { GroupRow } from './listing.ts'
import { listGroupChanges, listGroups, toSummary } from './lists.ts'
import { lookUp } from './look-up.ts'
import { changePeople } from './membership.ts'
import * as people from './people.ts'

/** Groups: sets of users, managed by their owners. */
export const groups: Feature = ({ serve }, { sql }) => {
  const respondWithGroup = async (group: GroupRow) => new WithETag(await readGroup(sql, group), validatorsOf(group))

  serve(api.listGroups, ({ query, caller }) =>
    query.updatedSince === undefined
      ? listGroups(sql, query, caller)
      : listGroupChanges(sql, query.updatedSince, query, caller),
  )

  serve(api.createGroup, async ({ body, caller, visit }) => {
    const group = await createGroup(sql, body, { caller, visit })
    return new Created(await readGroup(sql, group), pathOf(group.id), validatorsOf(group))
  })

  serve(api.getGroup, async ({ params, caller, preconditions }) => {
    const group = await requireVisibleGroup(sql, params.id, caller)
    preconditions.check(validatorsOf(group))
    return respondWithGroup(group)
  })

  serve(api.putGroup, async ({ params, body, caller, visit, preconditions }) => {
    const { name, description } = body
    return respondWithGroup(
      await renameGroup(sql, params.groupId, { name, description }, { caller, visit, preconditions }),
    )
  })

  serve(api.deleteGroup, ({ params, query, caller, visit, preconditions }) =>
    deleteGroup(sql, params.id, { ...query, caller, visit, preconditions }),
  )

  serve(api.restoreGroup, async ({ params, query, body, caller, visit, preconditions }) =>
    respondWithGroup(await restoreGroup(sql, params.id, body.name, { ...query, caller, visit, preconditions })),
  )

  serve(api.putGroupRoles, async ({ params, query, body, caller, visit, preconditions }) =>
    respondWithGroup(
      await changeGroupRoles(sql, params.groupId, body.roles, { ...query, caller, visit, preconditions }),
    ),
  )

  for (const [endpoint, part] of [
    [api.listMembers, 'members'],
    [api.listOwners, 'owners'],
  ] as const)
    serve(endpoint, async ({ params, query, caller }) => {
      const group = await requireVisibleGroup(sql, params.groupId, caller)
      const words = query.query?.trim() || null
      const page = { words, after: decodeInstantCursor(query.after), offset: offsetOf(query), limit: query.limit }
      const rows = await people.list(sql, group.id, part, page)
      const count = words === null ? undefined : await people.countMatches(sql, group.id, part, words)
      return peoplePage(group, part, query, rows, count)
    })

  serve(api.lookUpPeople, async ({ params, body, caller }) => {
    const group = await requireVisibleGroup(sql, params.groupId, caller)
    requireOwner(group, caller)
    return lookUp(sql, group.id, body.lines, caller)
  })

  for (const [endpoint, part, action] of [
    [api.addMembers, 'members', 'add'],
    [api.removeMembers, 'members', 'remove'],
    [api.addOwners, 'owners', 'add'],
    [api.removeOwners, 'owners', 'remove'],
  ] as const)
    serve(endpoint, async ({ params, query, body, caller, visit, preconditions }) => {
      const change = { part, action, people: body[part as keyof typeof body] }
      const context = { ...query, caller, visit, preconditions }
      const { after, ...changed } = await changePeople(sql, params.groupId, change, context)
      return new WithETag(changed, validatorsOf(after))
    })
}

const pathOf = (id: string) => `/passport/groups/${encodeURIComponent(id)}`

const validatorsOf = ({ version, lastModified }: GroupRow) => ({ etag: version, lastModified })

/** The number of members and owners returned with a group. */
const firstPeople = 200

async function readGroup(sql: Sql, group: GroupRow): Promise<Group> {
  const { members, owners } = await people.listFirst(sql, group.id, firstPeople)
  const query = { limit: firstPeople, page: 1 }
  const [firstMembers, firstOwners] = [
    peoplePage(group, 'members', query, members),
    peoplePage(group, 'owners', query, owners),
  ]
  return {
    ...toSummary(group),
    members: firstMembers.items,
    membersNext: firstMembers.next,
    owners: firstOwners.items,
    ownersNext: firstOwners.next,
  }
}

function peoplePage(
  group: GroupRow,
  part: people.Part,
  query: PageQuery,
  rows: GroupPerson[],
  count = part === 'members' ? group.memberCount : group.ownerCount,
) {
  return toPage({
    path: `${pathOf(group.id)}/${part}`,
    query,
    rows,
    count,
    cursorOf: ({ addedAt, id }) => [addedAt, id],
  })
}
