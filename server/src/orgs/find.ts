import type { PageQuery } from '@passport/contract/page'
import type { Sql } from '../database/sql.ts'
import { toWordQuery } from '../database/word-search.ts'
import * as entra from '../entra/store.ts'
import { decodeCursor, offsetOf, toPage } from '../http/paging.ts'
import { orgOrders } from './cursors.ts'
import * as domains from './domain-store.ts'
import * as store from './store.ts'

interface OrgsQuery extends PageQuery {
  query?: string | undefined
  sort: store.OrgSort
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const path = '/passport/admin/orgs'

/** Finds a page of organisations by words of the name or slug, or one organisation by its id or that of its tenant. */
export async function findOrgs(sql: Sql, query: OrgsQuery) {
  const order = orgOrders[query.sort.replace('-', '') as keyof typeof orgOrders]
  const { rows, count } = await findRows(sql, query, order.isKey)
  const page = toPage({ path, query: { ...query }, rows, count, cursorOf: (row) => [order.keyOf(row), row.id] })
  const ids = page.items.map(({ id }) => id)
  const domainsByOrg = Map.groupBy(await domains.listVerified(sql, ids), ({ orgId }) => orgId)
  const entraIds = page.items.flatMap(({ id, kind }) => (kind === 'entra' ? [id] : []))
  const tenants = entraIds.length > 0 ? await entra.list(sql, entraIds) : []
  const tenantsByOrg = new Map(tenants.map((tenant) => [tenant.orgId, tenant]))
  const items = page.items.map((org) => ({
    ...org,
    domains: (domainsByOrg.get(org.id) ?? []).map(({ domain }) => domain),
    entra: tenantsByOrg.get(org.id),
  }))
  return { ...page, items }
}

async function findRows(sql: Sql, query: OrgsQuery, isKey: (key: string) => boolean) {
  const text = query.query?.trim() ?? ''
  if (uuid.test(text)) {
    const id = text.toLowerCase()
    const org = (await store.find(sql, id)) ?? (await findOfTenant(sql, id))
    return org ? { rows: [org], count: 1 } : { rows: [], count: 0 }
  }
  const words = text === '' ? null : toWordQuery(text)
  const options = { words, after: decodeCursor(query.after, isKey), offset: offsetOf(query), limit: query.limit + 1 }
  const [rows, count] = await Promise.all([store.list(sql, query.sort, options), store.countMatches(sql, words)])
  return { rows, count }
}

async function findOfTenant(sql: Sql, tenantId: string): Promise<store.OrgRow | undefined> {
  const tenant = await entra.findByTenant(sql, tenantId)
  return tenant && store.find(sql, tenant.orgId)
}
