import * as api from '@passport/contract/entitlements'
import type { Feature } from '../feature.ts'
import { decodeCursor, isCount, isInstant, offsetOf, toPage } from '../http/paging.ts'
import { Created, WithETag } from '../http/serve.ts'
import { create, remove, replace, restore } from './change.ts'
import * as problems from './problems.ts'
import { serveGrants } from './serve-grants.ts'
import { serveUsage } from './serve-usage.ts'
import * as store from './store.ts'

const path = api.listEntitlements.path

/** The orders of the list: the key of an entitlement in each, and the check of a cursor's key. */
const orders = {
  name: { keyOf: ({ sortName }: store.CountedRow) => sortName, isKey: () => true },
  key: { keyOf: ({ key }: store.CountedRow) => key, isKey: () => true },
  orgs: { keyOf: ({ orgCount }: store.CountedRow) => String(orgCount), isKey: isCount },
  updated: { keyOf: ({ updatedAt }: store.CountedRow) => updatedAt, isKey: isInstant },
}

/** What organisations are granted: flags and quantities, by administrators or by their subscriptions. */
export const entitlements: Feature = (routes, services) => {
  const { serve } = routes
  const { sql } = services
  serveGrants(routes, services)
  serveUsage(routes, services)
  serve(api.listEntitlements, async ({ query }) => {
    const { query: word = '', kind, source, status, orgId, productId, at, sort = 'name', direction } = query
    const filter = { word, kind, source, isEnabled: status && status === 'enabled', orgId, productId, at }
    const { keyOf, isKey } = orders[sort]
    const range = { after: decodeCursor(query.after, isKey), offset: offsetOf(query), limit: query.limit + 1 }
    const [rows, count] = await Promise.all([
      store.list(sql, { ...filter, ...range, sort, isDescending: direction === 'desc' }),
      store.count(sql, filter),
    ])
    const page = toPage({ path, query, rows, count, cursorOf: (row) => [keyOf(row), row.id] })
    return { ...page, items: await withMappings(page.items) }
  })

  serve(api.createEntitlement, async ({ caller, body, visit }) => {
    const id = await create(sql, body, { caller, visit })
    const created = await find(id)
    return new Created(created, `${path}/${id}`, etagHeader(created))
  })

  // The counts change with time and without a new version, so that no response is 304.
  serve(api.getEntitlement, async ({ params, query }) => {
    const found = await find(params.entitlementId, query.at)
    return new WithETag(found, etagHeader(found))
  })

  serve(api.putEntitlement, async ({ params, body, query, ...context }) => {
    await replace(sql, params.entitlementId, body, { ...query, ...context })
    const found = await find(params.entitlementId)
    return new WithETag(found, etagHeader(found))
  })

  serve(api.deleteEntitlement, ({ params, query, ...context }) =>
    remove(sql, params.entitlementId, { ...query, ...context }),
  )

  serve(api.restoreEntitlement, async ({ params, ...context }) => {
    await restore(sql, params.entitlementId, context)
    const found = await find(params.entitlementId)
    return new WithETag(found, etagHeader(found))
  })

  async function find(id: string, at?: string): Promise<api.Entitlement> {
    const row = await store.findCounted(sql, id, at)
    const [found] = row ? await withMappings([row]) : []
    if (!found) throw problems.entitlementNotFound()
    return found
  }

  async function withMappings(rows: store.CountedRow[]): Promise<api.Entitlement[]> {
    const mappings = await store.listMappings(
      sql,
      rows.map(({ id }) => id),
    )
    const byEntitlement = Map.groupBy(mappings, ({ entitlementId }) => entitlementId)
    return rows.map((row) => ({ ...row, mappings: byEntitlement.get(row.id) ?? [] }))
  }
}

const etagHeader = ({ version }: api.Entitlement) => ({ etag: String(version) })
