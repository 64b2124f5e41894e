import * as api from '@passport/contract/orgs'
import type { PageQuery } from '@passport/contract/page'
import type { Sql } from '../database/sql.ts'
import { wordQuery } from '../database/word-search.ts'
import type { Caller } from '../http/caller.ts'
import { offsetOf, pageOf } from '../http/paging.ts'
import { Created, Tagged } from '../http/serve.ts'
import * as domains from '../org-domains/store.ts'
import type { Room } from '../room.ts'
import { enterToRun } from './access.ts'
import { create, remove, rename, restore } from './change.ts'
import { findOrgs } from './find.ts'
import { addMembers, changeRole, removeMembers } from './members.ts'
import { memberCursor, readMemberCursor } from './place.ts'
import * as store from './store.ts'

/** Organisations and their people; those who run one use the same calls as administrators, under a path of their own. */
export const orgs: Room = ({ serve }, { sql }) => {
  serve(api.listOrgs, ({ query }) => findOrgs(sql, query))

  serve(api.createOrg, async ({ body, caller, visit }) => {
    const org = await create(sql, body, { caller, visit })
    return new Created(await whole(sql, org), `/passport/admin/orgs/${org.id}`, tag(org.version))
  })

  for (const endpoint of [api.getOrg, api.getOwnOrg]) {
    serve(endpoint, async ({ params, caller, preconditions }) => {
      const { org } = await enterToRun(sql, caller, params.orgId)
      preconditions.check(tag(org.version))
      return new Tagged(await whole(sql, org), tag(org.version))
    })
  }

  serve(api.putOrg, async ({ params, body, ...by }) => {
    const org = await rename(sql, params.orgId, body, by)
    return new Tagged(await whole(sql, org), tag(org.version))
  })

  serve(api.deleteOrg, ({ params, query, ...by }) => remove(sql, params.orgId, query, by))

  serve(api.restoreOrg, async ({ params, query, body, ...by }) => {
    const org = await restore(sql, params.orgId, { ...query, ...body }, by)
    return new Tagged(await whole(sql, org), tag(org.version))
  })

  for (const endpoint of [api.listOrgMembers, api.listOwnOrgMembers]) {
    serve(endpoint, ({ params, query, caller }) => findMembers(sql, endpoint.path, params.orgId, query, caller))
  }

  for (const endpoint of [api.addOrgMembers, api.addOwnOrgMembers]) {
    serve(endpoint, async ({ params, body, query, ...by }) => {
      const done = await addMembers(sql, params.orgId, body, { ...by, ...query })
      return new Tagged(done, tag(done.version))
    })
  }

  for (const endpoint of [api.removeOrgMembers, api.removeOwnOrgMembers]) {
    serve(endpoint, async ({ params, body, query, ...by }) => {
      const done = await removeMembers(sql, params.orgId, body.members, { ...by, ...query })
      return new Tagged(done, tag(done.version))
    })
  }

  for (const endpoint of [api.putOrgMember, api.putOwnOrgMember]) {
    serve(endpoint, async ({ params, body, query, ...by }) => {
      const { member, version } = await changeRole(sql, params, body.role, { ...by, ...query })
      return new Tagged(member, tag(version))
    })
  }
}

const tag = (version: number) => ({ etag: String(version) })

const whole = async (sql: Sql, org: store.OrgRow) => ({ ...org, domains: await domains.list(sql, org.id) })

interface MembersQuery extends PageQuery {
  query?: string | undefined
  role?: api.OrgRole | undefined
}

async function findMembers(sql: Sql, path: string, orgId: string, query: MembersQuery, caller: Caller) {
  const { org } = await enterToRun(sql, caller, orgId)
  const asked = { words: query.query?.trim() ? wordQuery(query.query) : null, role: query.role ?? null }
  const after = readMemberCursor(query.after)
  const place = { after, offset: offsetOf(query), limit: query.limit + 1 }
  const rows = await store.listPeople(sql, orgId, { ...asked, ...place })
  const isAll = asked.words === null && asked.role === null
  const counted = isAll ? org.memberCount : await store.countPeople(sql, orgId, asked)
  return pageOf({ path: path.replace('{orgId}', orgId), query: { ...query }, rows, counted, cursorOf: memberCursor })
}
