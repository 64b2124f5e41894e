import * as api from '@passport/contract/scim'
import type { Sql } from '../database/sql.ts'
import { notLinked } from '../entra/problems.ts'
import * as entra from '../entra/store.ts'
import type { Feature } from '../feature.ts'
import { decodeInstantCursor, toCursorPage } from '../http/paging.ts'
import { Created } from '../http/serve.ts'
import { orgNotFound } from '../orgs/problems.ts'
import { readProvisioning, toScimToken } from './present.ts'
import { previewGroupDeletion, previewUserDeletion } from './preview-deletion.ts'
import * as problems from './problems.ts'
import { serveProtocol } from './serve-protocol.ts'
import * as store from './store.ts'
import { createToken, revokeToken } from './tokens.ts'

/** Provisioning of users and groups by the identity providers of customers, by SCIM 2.0 (RFC 7643, 7644). */
export const scim: Feature = ({ serve, mount }, services) => {
  const { sql, config } = services
  serveProtocol({ mount }, services)

  serve(api.getProvisioning, async ({ params }) => {
    await requireTenant(sql, params.orgId)
    return readProvisioning(sql, config.publicUrl, params.orgId)
  })

  serve(api.createScimToken, async ({ params, body, ...context }) => {
    const { token, value } = await createToken(sql, params.orgId, body, context)
    const path = `/passport/admin/orgs/${params.orgId}/scim/tokens/${token.id}`
    return new Created({ token: toScimToken(token), value }, path, { etag: token.id })
  })

  serve(api.revokeScimToken, ({ params, ...context }) => revokeToken(sql, params, context))

  serve(api.listScimRequests, async ({ params, query }) => {
    await requireTenant(sql, params.orgId)
    const { outcome, limit } = query
    const after = decodeInstantCursor(query.after)
    const rows = await store.listRequests(sql, params.orgId, { outcome, after, limit: limit + 1 })
    const path = `/passport/admin/orgs/${params.orgId}/scim/requests`
    return toCursorPage({ path, query, rows, cursorOf: ({ at, id }) => [at, id] })
  })

  serve(api.getScimRequest, async ({ params }) => {
    await requireTenant(sql, params.orgId)
    const request = await store.findRequest(sql, params.orgId, params.requestId)
    if (!request) throw problems.requestNotFound()
    return request
  })

  serve(api.previewScimDeletion, async ({ params: { orgId }, query: { userId, groupId = '' } }) => {
    await requireTenant(sql, orgId)
    return userId === undefined ? previewGroupDeletion(sql, orgId, groupId) : previewUserDeletion(sql, orgId, userId)
  })
}

/** Throws 404 unless the organisation exists and has a tenant: SCIM identifies users by their object ids there. */
async function requireTenant(sql: Sql, orgId: string): Promise<void> {
  const connection = await entra.find(sql, orgId)
  if (!connection || connection.orgDeletedAt !== null) throw connection ? orgNotFound() : notLinked()
}
