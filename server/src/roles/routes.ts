import { maxCounted } from '@passport/contract/page'
import * as api from '@passport/contract/roles'
import type { ListRange } from '../database/list-query.ts'
import type { Feature } from '../feature.ts'
import { decodeCursor, isCount, isInstant, offsetOf, toPage } from '../http/paging.ts'
import { roleNotFound } from '../http/problems.ts'
import { Created, WithETag } from '../http/serve.ts'
import { toPictureUrl } from '../profile/avatar-url.ts'
import * as search from '../users/search-store.ts'
import * as edit from './edit.ts'
import { addMembers, removeMembers } from './membership.ts'
import * as store from './store.ts'

const countLimit = maxCounted + 1
/** Up to this number of members, each page sorts all of them; beyond, an index scan by name is faster. */
const maxSorted = maxCounted
/** The maximum number of groups in a response. */
const maxGroups = 200

/** The orders of the list: the key of a role in each, and the check of a cursor's key. */
const orders = {
  name: { keyOf: ({ name }: store.RoleRow) => name, isKey: () => true },
  members: { keyOf: ({ memberCount }: store.RoleRow) => String(memberCount), isKey: isCount },
  updated: { keyOf: ({ updatedAt }: store.RoleRow) => updatedAt, isKey: isInstant },
}

/** The roles of the applications, and their members. */
export const roles: Feature = ({ serve }, { config, sql }) => {
  const toMember = ({ sortName: _, displayName, pictureHash, ...member }: store.MemberRow): api.RoleMember => ({
    ...member,
    displayname: displayName,
    avatarPngUrl: toPictureUrl(config.publicUrl, pictureHash),
  })

  serve(api.listRoles, async ({ query }) => {
    const { query: word = '', sort = 'name', direction } = query
    const { keyOf, isKey } = orders[sort]
    const range = { after: decodeCursor(query.after, isKey), offset: offsetOf(query), limit: query.limit + 1 }
    const isDescending = direction === 'desc'
    const rows = await store.list(sql, { word, sort, isDescending, countLimit, ...range })
    const count = await store.count(sql, word, countLimit)
    const listed = toPage({
      path: api.listRoles.path,
      query,
      rows,
      count,
      cursorOf: (row) => [keyOf(row), row.name],
    })
    return { ...listed, items: listed.items.map(toRole) }
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
    return new WithETag(role, validators)
  })

  serve(api.putRole, async ({ caller, params, body, visit, preconditions }) => {
    await edit.changeDescription(sql, params.name, body.description, { caller, visit, preconditions })
    const role = await find(params.name)
    return new WithETag(role, { etag: String(role.version), lastModified: role.updatedAt })
  })

  serve(api.deleteRole, ({ caller, params, query, visit, preconditions }) =>
    edit.remove(sql, params.name, { caller, visit, preconditions, ...query }),
  )

  serve(api.listRoleMembers, async ({ params, query }) => {
    const range = { offset: offsetOf(query), after: decodeCursor(query.after), limit: query.limit + 1 }
    const { rows, count } = await (query.query
      ? searchMembers(params.name, query.query, range)
      : listAllMembers(params.name, range))
    const path = `/passport/admin/roles/${params.name}/members`
    const listed = toPage({ path, query, rows, count, cursorOf: ({ sortName, id }) => [sortName, id] })
    return { ...listed, items: listed.items.map(toMember) }
  })

  serve(api.listRoleGroups, async ({ params: { name } }) => {
    requireFound(await store.find(sql, name, 1))
    return store.listGroups(sql, name, maxGroups)
  })

  serve(api.addRoleMembers, ({ caller, params, query, body, visit }) =>
    addMembers(sql, params.name, body.members, { caller, visit, ...query }),
  )
  serve(api.removeRoleMembers, ({ caller, params, query, body, visit }) =>
    removeMembers(sql, params.name, body.members, { caller, visit, ...query }),
  )

  async function listAllMembers(role: string, range: ListRange) {
    const { memberCount } = requireFound(await store.find(sql, role, countLimit))
    const rows = await store.listMembers(sql, role, { ...range, isLarge: memberCount > maxSorted })
    return { rows, count: memberCount }
  }

  async function searchMembers(role: string, query: string, range: ListRange) {
    const plan = await search.plan(sql, { query, role }, { sort: 'name', direction: 'asc' })
    const { ids, count } = await search.find(sql, { ...plan, exact: [] }, range)
    if (ids.length === 0) requireFound(await store.find(sql, role, 1))
    return { rows: ids.length === 0 ? [] : await store.listMembersAmong(sql, role, ids), count }
  }

  const find = async (name: string) => toRole(requireFound(await store.find(sql, name, countLimit)))
}

function requireFound(role: store.RoleRow | undefined): store.RoleRow {
  if (!role) throw roleNotFound()
  return role
}

const toRole = (role: store.RoleRow): api.Role => ({
  ...role,
  ...(role.memberCount > maxCounted && { memberCountIsExact: false as const }),
})
