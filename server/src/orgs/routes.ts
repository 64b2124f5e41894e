import * as api from '@passport/contract/orgs'
import type { PageQuery } from '@passport/contract/page'
import type { Sql } from '../database/sql.ts'
import { deleteOrg, restoreOrg } from '../entra/delete-org.ts'
import type { Feature } from '../feature.ts'
import type { Caller } from '../http/caller.ts'
import { offsetOf, toPage } from '../http/paging.ts'
import { Created, WithETag } from '../http/serve.ts'
import { toPictureUrl } from '../profile/avatar-url.ts'
import { requireManager } from './access.ts'
import { create, replace } from './change.ts'
import { decodeMemberCursor, toMemberCursor } from './cursors.ts'
import { findOrgs } from './find.ts'
import { addMembers, changeRole, removeMembers } from './members.ts'
import { readOrg } from './read.ts'
import { serveDomains } from './serve-domains.ts'
import * as store from './store.ts'

/**
 * Organisations and their members. The owners and admins of an organisation use the same rules as administrators, on
 * separate paths.
 */
export const orgs: Feature = (routes, services) => {
  const { serve } = routes
  const { config, sql } = services
  const toMember = ({ pictureHash, ...member }: store.MemberRow): api.OrgMember => ({
    ...member,
    avatarPngUrl: toPictureUrl(config.publicUrl, pictureHash),
  })
  serveDomains(routes, services)
  serve(api.listOrgs, ({ query }) => findOrgs(sql, query))

  serve(api.createOrg, async ({ body, caller, visit }) => {
    const org = await create(sql, body, { caller, visit })
    return new Created(await readOrg(sql, org), `/passport/admin/orgs/${org.id}`, toValidators(org.version))
  })

  for (const endpoint of [api.getOrg, api.getOwnOrg]) {
    serve(endpoint, async ({ params, caller, preconditions }) => {
      const { org } = await requireManager(sql, caller, params.orgId)
      preconditions.check(toValidators(org.version))
      return new WithETag(await readOrg(sql, org), toValidators(org.version))
    })
  }

  serve(api.putOrg, async ({ params, body, ...context }) => {
    const org = await replace(sql, params.orgId, body, context)
    return new WithETag(await readOrg(sql, org), toValidators(org.version))
  })

  serve(api.deleteOrg, ({ params, query, ...context }) => deleteOrg(sql, params.orgId, query, context))

  serve(api.restoreOrg, async ({ params, query, body, ...context }) => {
    const org = await restoreOrg(sql, params.orgId, { ...query, ...body }, context)
    return new WithETag(await readOrg(sql, org), toValidators(org.version))
  })

  for (const endpoint of [api.listOrgMembers, api.listOwnOrgMembers]) {
    serve(endpoint, async ({ params, query, caller }) => {
      const page = await findMembers(sql, endpoint.path, params.orgId, query, caller)
      return { ...page, items: page.items.map(toMember) }
    })
  }

  for (const endpoint of [api.addOrgMembers, api.addOwnOrgMembers]) {
    serve(endpoint, async ({ params, body, query, ...context }) => {
      const result = await addMembers(sql, params.orgId, body, { ...context, ...query })
      return new WithETag(result, toValidators(result.version))
    })
  }

  for (const endpoint of [api.removeOrgMembers, api.removeOwnOrgMembers]) {
    serve(endpoint, async ({ params, body, query, ...context }) => {
      const result = await removeMembers(sql, params.orgId, body.members, { ...context, ...query })
      return new WithETag(result, toValidators(result.version))
    })
  }

  for (const endpoint of [api.putOrgMember, api.putOwnOrgMember]) {
    serve(endpoint, async ({ params, body, query, ...context }) => {
      const { member, version } = await changeRole(sql, params, body.role, { ...context, ...query })
      return new WithETag(toMember(member), toValidators(version))
    })
  }
}

const toValidators = (version: number) => ({ etag: String(version) })

interface MembersQuery extends PageQuery {
  query?: string | undefined
  role?: api.OrgRole | undefined
}

async function findMembers(sql: Sql, path: string, orgId: string, query: MembersQuery, caller: Caller) {
  const { org } = await requireManager(sql, caller, orgId)
  const conditions = { words: query.query?.trim() || null, role: query.role ?? null }
  const after = decodeMemberCursor(query.after)
  const range = { after, offset: offsetOf(query), limit: query.limit + 1 }
  const rows = await store.listMembers(sql, orgId, { ...conditions, ...range })
  const isAll = conditions.words === null && conditions.role === null
  const count = isAll ? org.memberCount : await store.countMembers(sql, orgId, conditions)
  return toPage({ path: path.replace('{orgId}', orgId), query: { ...query }, rows, count, cursorOf: toMemberCursor })
}
