import type { Group, GroupPerson } from '@passport/contract/groups'
import * as api from '@passport/contract/groups'
import type { Sql } from '../database/sql.ts'
import { cursorPageOf, decodeInstantCursor } from '../http/paging.ts'
import { Created, Tagged } from '../http/serve.ts'
import type { Room } from '../room.ts'
import { seen } from './access.ts'
import { changeRolesOf, createGroup, deleteGroup, renameGroup, restoreGroup } from './lifecycle.ts'
import type { GroupRow } from './listing.ts'
import { changesPage, listPage, summaryOf } from './lists.ts'
import { changePeople } from './membership.ts'
import * as people from './people.ts'

/** Groups: people who belong together, run by some of them. */
export const groups: Room = ({ serve }, { sql }) => {
  const whole = async (group: GroupRow) => new Tagged(await entityOf(sql, group), validatorsOf(group))

  serve(api.listGroups, ({ query, caller }) =>
    query.updatedSince === undefined
      ? listPage(sql, query, caller)
      : changesPage(sql, query.updatedSince, query, caller),
  )

  serve(api.createGroup, async ({ body, caller, visit }) => {
    const group = await createGroup(sql, body, { caller, visit })
    return new Created(await entityOf(sql, group), pathOf(group.id), validatorsOf(group))
  })

  serve(api.getGroup, async ({ params, caller, preconditions }) => {
    const group = await seen(sql, params.id, caller)
    preconditions.check(validatorsOf(group))
    return whole(group)
  })

  serve(api.putGroup, async ({ params, body, caller, visit, preconditions }) => {
    const { name, description } = body
    return whole(await renameGroup(sql, params.groupId, { name, description }, { caller, visit, preconditions }))
  })

  serve(api.deleteGroup, ({ params, query, caller, visit, preconditions }) =>
    deleteGroup(sql, params.id, { ...query, caller, visit, preconditions }),
  )

  serve(api.restoreGroup, async ({ params, query, body, caller, visit, preconditions }) =>
    whole(await restoreGroup(sql, params.id, body.name, { ...query, caller, visit, preconditions })),
  )

  serve(api.putGroupRoles, async ({ params, query, body, caller, visit, preconditions }) =>
    whole(await changeRolesOf(sql, params.groupId, body.roles, { ...query, caller, visit, preconditions })),
  )

  for (const [endpoint, part] of [
    [api.listMembers, 'members'],
    [api.listOwners, 'owners'],
  ] as const)
    serve(endpoint, async ({ params, query, caller }) => {
      const { id } = await seen(sql, params.groupId, caller)
      const after = decodeInstantCursor(query.after)
      const rows = await people.list(sql, id, part, { words: query.query ?? null, after, limit: query.limit })
      return peoplePage(id, part, query, rows)
    })

  for (const [endpoint, part, action] of [
    [api.addMembers, 'members', 'add'],
    [api.removeMembers, 'members', 'remove'],
    [api.addOwners, 'owners', 'add'],
    [api.removeOwners, 'owners', 'remove'],
  ] as const)
    serve(endpoint, async ({ params, query, body, caller, visit, preconditions }) => {
      const asked = { part, action, people: body[part as keyof typeof body] }
      const by = { ...query, caller, visit, preconditions }
      const { after, ...changed } = await changePeople(sql, params.groupId, asked, by)
      return new Tagged(changed, validatorsOf(after))
    })
}

const pathOf = (id: string) => `/passport/groups/${encodeURIComponent(id)}`

const validatorsOf = ({ version, lastModified }: GroupRow) => ({ etag: version, lastModified })

/** How many members and owners come with a group. */
const firstPeople = 200

async function entityOf(sql: Sql, group: GroupRow): Promise<Group> {
  const { members, owners } = await people.first(sql, group.id, firstPeople)
  const query = { limit: firstPeople }
  const [firstMembers, firstOwners] = [
    peoplePage(group.id, 'members', query, members),
    peoplePage(group.id, 'owners', query, owners),
  ]
  return {
    ...summaryOf(group),
    members: firstMembers.items,
    membersNext: firstMembers.next,
    owners: firstOwners.items,
    ownersNext: firstOwners.next,
  }
}

function peoplePage(
  id: string,
  part: people.Part,
  query: { limit: number; query?: string | undefined },
  rows: GroupPerson[],
) {
  return cursorPageOf({
    path: `${pathOf(id)}/${part}`,
    query,
    rows,
    cursorOf: ({ addedAt, id }) => [addedAt, id],
  })
}
