import * as api from '@passport/contract/entitlement-usage'
import type { Routes, Services } from '../feature.ts'
import { toActorId } from '../http/caller.ts'
import { isClient } from '../http/identify.ts'
import { decodeInstantCursor, toCursorPage } from '../http/paging.ts'
import { Created } from '../http/serve.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'
import { reportUsage } from './usage.ts'
import * as usageStore from './usage-store.ts'

/** Usage of quantities, as applications report it. */
export function serveUsage({ serve }: Pick<Routes, 'serve'>, { sql }: Pick<Services, 'sql'>): void {
  serve(api.reportUsage, async ({ params, body, caller, visit }) => {
    const id = isClient(caller) ? toActorId(caller) : caller.id
    const { entitlementId, ...counted } = await reportUsage(sql, { ...params, ...body }, { caller: { id }, visit })
    const path = api.listUsage.path.replace('{entitlementId}', entitlementId)
    const query = new URLSearchParams({ orgId: counted.orgId, from: counted.hour })
    return new Created(counted, `${path}?${query}`, { etag: String(counted.quantity) })
  })

  serve(api.listUsage, async ({ params: { entitlementId }, query }) => {
    if (!(await store.find(sql, entitlementId))) throw problems.entitlementNotFound()
    const { orgId, billing, from, to, limit } = query
    const filter = { entitlementId, orgId, isBilled: billing && billing === 'billed', from, to }
    const rows = await usageStore.list(sql, filter, limit + 1, decodeInstantCursor(query.after))
    const path = api.listUsage.path.replace('{entitlementId}', entitlementId)
    return toCursorPage({ path, query, rows, cursorOf: ({ hour, id }) => [hour, id] })
  })
}
