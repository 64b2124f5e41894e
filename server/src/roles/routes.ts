import { maxCounted } from '@passport/contract/page'
import * as api from '@passport/contract/roles'
import { wordQuery } from '../database/word-search.ts'
import { decodeCursor, offsetOf, pageOf } from '../http/paging.ts'
import { Problem } from '../http/problem.ts'
import { Created, Tagged } from '../http/serve.ts'
import type { Room } from '../room.ts'
import * as edit from './edit.ts'
import { addMembers, removeMembers } from './membership.ts'
import * as store from './store.ts'

const countTo = maxCounted + 1
/** So many are sorted for each page; among more, the next by name are found sooner than that. */
const sortedUpTo = 3000

/** What people may be to the applications: the roles, and who has them. */
export const roles: Room = ({ serve }, { sql }) => {
  serve(api.listRoles, async ({ query }) => {
    const [after] = decodeCursor(query.after) ?? ['']
    const offset = offsetOf(query)
    const word = query.query ?? ''
    const rows = await store.list(sql, { word, limit: query.limit + 1, offset, after, countTo })
    const counted = await store.count(sql, word, countTo)
    const listed = pageOf({
      path: api.listRoles.path,
      query,
      rows,
      counted,
      cursorOf: ({ name }) => [name, ''],
    })
    return { ...listed, items: listed.items.map(told) }
  })

  serve(api.createRole, async ({ caller, body, visit }) => {
    await edit.create(sql, body, { caller, visit })
    const { name } = body
    return new Created(await find(name), `/passport/admin/roles/${name}`, { etag: '1' })
  })

  serve(api.getRole, async ({ params, preconditions }) => {
    const role = await find(params.name)
    const validators = { etag: String(role.version), lastModified: role.updatedAt }
    preconditions.check(validators)
    return new Tagged(role, validators)
  })

  serve(api.putRole, async ({ caller, params, body, visit, preconditions }) => {
    await edit.describe(sql, params.name, body.description, { caller, visit, preconditions })
    const role = await find(params.name)
    return new Tagged(role, { etag: String(role.version), lastModified: role.updatedAt })
  })

  serve(api.deleteRole, ({ caller, params, query, visit, preconditions }) =>
    edit.remove(sql, params.name, { caller, visit, preconditions, ...query }),
  )

  serve(api.listRoleMembers, async ({ params, query }) => {
    const all = await store.find(sql, params.name, countTo).then(orNotFound)
    const words = query.query ? wordQuery(query.query) : null
    const counted = words === null ? all.counted : await store.countCalled(sql, params.name, words, countTo)
    const areMany = all.counted > sortedUpTo
    const place = { offset: offsetOf(query), after: decodeCursor(query.after), areMany, words }
    const rows = await store.listMembers(sql, params.name, { limit: query.limit + 1, ...place })
    const path = `/passport/admin/roles/${params.name}/members`
    const listed = pageOf({ path, query, rows, counted, cursorOf: ({ sortName, id }) => [sortName, id] })
    return { ...listed, items: listed.items.map(toldMember) }
  })

  serve(api.addRoleMembers, ({ caller, params, query, body, visit }) =>
    addMembers(sql, params.name, body.members, { caller, visit, ...query }),
  )
  serve(api.removeRoleMembers, ({ caller, params, query, body, visit }) =>
    removeMembers(sql, params.name, body.members, { caller, visit, ...query }),
  )

  const find = async (name: string) => told(orNotFound(await store.find(sql, name, countTo)))
}

function orNotFound(role: store.RoleRow | undefined): store.RoleRow {
  if (!role) throw new Problem(404, 'role-not-found', 'There is no such role.')
  return role
}

const told = ({ counted, ...role }: store.RoleRow): api.Role => ({
  ...role,
  memberCount: Math.min(counted, maxCounted),
  ...(counted > maxCounted && { memberCountIsExact: false as const }),
})

const toldMember = ({ sortName: _, displayName, ...member }: store.MemberRow): api.RoleMember => ({
  ...member,
  displayname: displayName,
})
