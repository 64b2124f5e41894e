import type { PageQuery } from '@passport/contract/page'
import type { Sql } from '../database/sql.ts'
import { wordQuery } from '../database/word-search.ts'
import { decodeCursor, offsetOf, pageOf } from '../http/paging.ts'
import * as domains from '../org-domains/store.ts'
import { orgPlaces } from './place.ts'
import * as store from './store.ts'

interface Asked extends PageQuery {
  query?: string | undefined
  sort: store.Sorting
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const path = '/passport/admin/orgs'

/** A page of organisations. An id that is pasted into the search finds the one that has it. */
export async function findOrgs(sql: Sql, query: Asked) {
  const places = orgPlaces[query.sort.replace('-', '') as keyof typeof orgPlaces]
  const { rows, counted } = await search(sql, query, places.isOne)
  const page = pageOf({ path, query: { ...query }, rows, counted, cursorOf: (row) => [places.of(row), row.id] })
  const ids = page.items.map(({ id }) => id)
  const domainsOf = Map.groupBy(await domains.verifiedOf(sql, ids), ({ orgId }) => orgId)
  const items = page.items.map((org) => ({
    ...org,
    domains: (domainsOf.get(org.id) ?? []).map(({ domain }) => domain),
  }))
  return { ...page, items }
}

async function search(sql: Sql, query: Asked, isPlace: (key: string) => boolean) {
  const typed = query.query?.trim() ?? ''
  if (uuid.test(typed)) {
    const org = await store.find(sql, typed.toLowerCase())
    return org ? { rows: [org], counted: 1 } : { rows: [], counted: 0 }
  }
  const words = typed === '' ? null : wordQuery(typed)
  const asked = { words, after: decodeCursor(query.after, isPlace), offset: offsetOf(query), limit: query.limit + 1 }
  const [rows, counted] = await Promise.all([store.list(sql, query.sort, asked), store.countFound(sql, words)])
  return { rows, counted }
}
