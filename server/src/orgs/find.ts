import type { PageQuery } from '@passport/contract/page'
import type { Sql } from '../database/sql.ts'
import { wordQuery } from '../database/word-search.ts'
import { decodeCursor, offsetOf, pageOf } from '../http/paging.ts'
import * as domains from '../org-domains/store.ts'
import { orgPlaces } from './place.ts'
import * as store from './store.ts'

interface Asked extends PageQuery {
  query?: string | undefined
  sort: 'name' | 'created' | 'members'
  order: 'asc' | 'desc'
  status: 'active' | 'deleted'
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const path = '/passport/admin/orgs'

/** A page of organisations. An id that is pasted into the search finds the one that has it. */
export async function findOrgs(sql: Sql, query: Asked) {
  const { rows, counted, places } = await search(sql, query)
  const page = pageOf({ path, query: { ...query }, rows, counted, cursorOf: (row) => [places.of(row), row.id] })
  const proved = await domains.verifiedOf(
    sql,
    page.items.map(({ id }) => id),
  )
  const domainsOf = Map.groupBy(proved, ({ orgId }) => orgId)
  const items = page.items.map((org) => ({
    ...org,
    domains: (domainsOf.get(org.id) ?? []).map(({ domain }) => domain),
  }))
  return { ...page, items }
}

async function search(sql: Sql, query: Asked) {
  const isDeleted = query.status === 'deleted'
  const places = orgPlaces[isDeleted ? 'deleted' : query.sort]
  const typed = query.query?.trim() ?? ''
  if (uuid.test(typed) && !isDeleted) {
    const org = await store.find(sql, typed.toLowerCase())
    return { rows: org ? [org] : [], counted: org ? 1 : 0, places }
  }
  const words = wordQuery(typed)
  const after = decodeCursor(query.after, places.isOne)
  const asked = { words, after, offset: offsetOf(query), limit: query.limit + 1 }
  const [rows, counted] = await Promise.all([
    isDeleted ? store.listDeleted(sql, asked) : store.list(sql, `${query.sort} ${query.order}`, asked),
    store.countFound(sql, words, isDeleted),
  ])
  return { rows, counted, places }
}
