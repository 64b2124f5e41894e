import { toAsciiDomain } from '@passport/contract/email'
import { maxCounted } from '@passport/contract/page'
import type { UserFilter, UserSort } from '@passport/contract/users'
import type { ListRange } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'
import { type NameQuery, toAddressQuery } from '../database/word-search.ts'
import {
  type Condition,
  Parameters,
  type Sources,
  toConditions,
  toMembershipTest,
  toOrder,
  unionAll,
} from './search-conditions.ts'

const sources: Sources = {
  users: 'listed_users',
  roleHolders: 'users_with_role',
  directRoleHolders: 'users_with_direct_role',
  groupRoleHolders: 'users_with_group_role',
  orgMembers: 'org_users',
  providerUsers: 'provider_users',
  connectedUsers: 'connected_users',
}

/** The query plan of a filter, computed once for all pages of a list. */
export interface SearchPlan {
  filter: UserFilter
  order: UserSort
  nameQuery: NameQuery
  /** The ids of the users that the query matches exactly; they come first. */
  exact: string[]
  /** The number of users for each condition, exact up to `maxCounted` and estimated beyond. */
  sizes: Record<string, number>
  /** The expected number of users for the whole filter, computed from the sizes. */
  expected: number
}

const allUsers: Condition = {
  name: 'all',
  from: [`select u.id as user_id from ${sources.users} u order by u.sort_name, u.id`],
  predicate: 'true',
  estimatedBy: `select from ${sources.users}`,
}

/** Counts the users of each condition, exactly up to `maxCounted` and estimated beyond, and finds the exact matches. */
export async function plan(sql: Sql, filter: UserFilter, order: UserSort): Promise<SearchPlan> {
  const parameters = new Parameters()
  const nameQuery = await putRarestFirst(sql, toAddressQuery(filter.query ?? ''))
  const conditions = toConditions(filter, nameQuery, sources, parameters)
  if (conditions.length === 0) return { filter, order, nameQuery, exact: [], sizes: {}, expected: 0 }
  const parameterValues = [...parameters.values]
  const sizes = [allUsers, ...conditions].map((condition) => buildCount(condition, parameterValues, parameters))
  const exact = filter.query === undefined ? `'{}'::text[]` : buildExactMatches(filter.query, conditions, parameters)
  const [result] = await sql.unsafe<{ sizes: number[]; exact: string[] }[]>(
    `select array[${sizes.join(', ')}] as sizes, ${exact} as exact`,
    parameters.values,
  )
  const [total = 0, ...counts] = result?.sizes ?? []
  return {
    filter,
    order,
    nameQuery,
    exact: result?.exact ?? [],
    sizes: Object.fromEntries(conditions.map(({ name }, index) => [name, counts[index] ?? 0])),
    expected: counts.reduce((left, size) => left * Math.min(1, size / Math.max(1, total)), total),
  }
}

/** The maximum number of words that are compared, longest first; each requires the planning of a statement. */
const maxCandidates = 4

/**
 * Moves the word that the planner expects in the fewest names to the front. All its entries in the index are read, so
 * `ana` is much cheaper than `berg` in a directory with many Bergs.
 */
async function putRarestFirst(sql: Sql, { beginning, others }: NameQuery): Promise<NameQuery> {
  if (others.length === 0) return { beginning, others }
  const candidates = [beginning, ...others.slice(0, maxCandidates - 1)]
  const words = await sql<{ word: string }[]>`
    select word from unnest(${candidates}::text[]) with ordinality as words (word, position)
    order by count_or_estimate(1, 0, 'select from user_words_matching($1[1], ''{}'')', array[word]), position`
  const [rarest = beginning, ...rest] = words.map(({ word }) => word)
  return { beginning: rarest, others: [...rest, ...others.slice(maxCandidates - 1)] }
}

/** Builds the count of the users of a condition, exact up to `maxCounted` and estimated beyond. */
function buildCount({ from, estimatedBy }: Condition, parameterValues: string[], parameters: Parameters): string {
  const statement = (estimatedBy ?? unionAll(from)).replaceAll(/\$(\d+)/g, '$$1[$1]')
  const values = `array[${parameterValues.map((_, index) => `$${index + 1}::text`).join(', ')}]::text[]`
  return `(select count_or_estimate(count(*), ${maxCounted}, ${parameters.add(statement)}, ${values}) from ${buildLimitedUnion(from)} s)`
}

const buildLimitedUnion = (from: string[]) => {
  const fullyRead = from.map((select) => `(${select} limit ${maxCounted + 1})`).join(' union all ')
  return `(select distinct r.user_id from (${fullyRead}) r limit ${maxCounted + 1})`
}

/**
 * Builds a query for the ids of at most ten users whose id, email, username, `sub` at an identity provider, or connected
 * account such as `metahorizon:5978973908802860` equals the query, by name.
 */
function buildExactMatches(query: string, conditions: Condition[], parameters: Parameters): string {
  const value = parameters.add(query.trim())
  const otherTests = conditions.filter(({ name }) => name !== 'query').map(({ predicate }) => `and ${predicate}`)
  return `array(
    select u.id from (
      select id from ${sources.users} where id = ${value}
      union select id from ${sources.users} where lower(email) = lower(${parameters.add(toAsciiDomain(query.trim()))})
      union select id from ${sources.users} where lower(username) = lower(${value})
      union select user_id from ${sources.providerUsers} where subject = ${value}
      union select user_id from ${sources.connectedUsers}
        where connector = split_part(${value}, ':', 1) and external_id = substr(${value}, strpos(${value}, ':') + 1)
    ) e join ${sources.users} u on u.id = e.id
    where true ${otherTests.join(' ')} order by u.sort_name, u.id limit 10)`
}

/**
 * The maximum number of users scanned in order for a page of common conditions. It suffices unless all matches are far
 * down in that order, like users named Zoë; in that case all matches are collected and sorted.
 */
const maxScanned = 20_000

/** The maximum number of users of a condition that are all read, from an index alone: some 400 to 900 blocks. */
const maxRead = 40_000

export interface MatchingIds {
  /** In list order, exact matches first at the beginning of the list. */
  ids: string[]
  /** The total number, exact up to `maxCounted` and estimated beyond. */
  count: number
}

/** Converts a range after an exact match: the remaining exact matches follow, then the list from its beginning. */
function skipExact(range: ListRange, exact: string[]): ListRange {
  const exactIndex = range.after ? exact.indexOf(range.after[1]) + 1 : 0
  return exactIndex > 0 ? { ...range, after: undefined, offset: exactIndex } : range
}

/** Returns the ids of a page of a list. */
export async function find(
  sql: Sql,
  { filter, order, nameQuery, exact, sizes, expected }: SearchPlan,
  range: ListRange,
): Promise<MatchingIds> {
  const { after, offset, limit } = skipExact(range, exact)
  const parameters = new Parameters()
  const conditions = toConditions(filter, nameQuery, sources, parameters)
  const { orderBy, cursorCondition } = toOrder(order, after, parameters)
  const isNotExact = `not u.id = any(${parameters.addAll(exact)})`
  const first = after === undefined ? exact.slice(offset, offset + limit) : []
  const limitClause = `limit ${limit - first.length} offset ${Math.max(0, offset - (after === undefined ? exact.length : 0))}`
  const search: Search = { conditions, sizes, orderBy, cursorCondition, isNotExact, limitClause }
  const bySize = conditions.toSorted((a, b) => getSize(sizes, a) - getSize(sizes, b))
  const [narrowest] = bySize
  const words = conditions.find(({ name }) => name === 'query')
  const areFew = narrowest && (getSize(sizes, narrowest) <= maxCounted || (bySize.length > 1 && expected <= maxCounted))
  const isByName = words && order.sort === 'name' && getSize(sizes, words) <= maxRead
  const usesWordIndex = isByName && (bySize.length === 1 || !areFew)
  const statement = usesWordIndex
    ? buildWordSearch(search, words)
    : areFew && getSize(sizes, narrowest) <= maxRead
      ? buildLookup(search, narrowest)
      : buildScan(search, narrowest, { pageSize: limit - first.length, parameters })
  const [result] = await sql.unsafe<{ ids: string[]; count: number | null }[]>(...parameters.toStatement(statement))
  const { ids = [], count = null } = result ?? {}
  return {
    ids: [...first, ...ids],
    count: count === null ? Math.max(maxCounted + 1, Math.round(expected)) : count + exact.length,
  }
}

interface Search {
  conditions: Condition[]
  sizes: Record<string, number>
  orderBy: string
  cursorCondition: string
  isNotExact: string
  limitClause: string
}

const getSize = (sizes: Record<string, number>, { name }: Condition) => sizes[name] ?? 0

/** Looks up the few users of a condition, and sorts the matches; their number is exact. */
function buildLookup(
  { conditions, sizes, orderBy, cursorCondition, isNotExact, limitClause }: Search,
  narrowest: Condition,
): string {
  const otherConditions = conditions.filter((condition) => condition !== narrowest)
  const readsWhole = (condition: Condition) =>
    getSize(sizes, narrowest) > maxCounted && getSize(sizes, condition) <= maxRead
  const fullyRead = otherConditions.filter(readsWhole).map((condition) => toMembershipTest(condition, 'r.user_id'))
  const tests = otherConditions.filter((condition) => !readsWhole(condition)).map(({ predicate }) => predicate)
  return `with matching as materialized (
      select u.id, u.sort_name, u.created_at, u.last_sign_in_at
      from (select distinct r.user_id from (${unionAll(narrowest.from)}) r where ${['true', ...fullyRead].join(' and ')}) c
      cross join lateral (select * from ${sources.users} p where p.id = c.user_id offset 0) u
      where ${[isNotExact, ...tests].join(' and ')})
    select array(select u.id from matching u where ${cursorCondition} ${orderBy} ${limitClause}) as ids,
      (select count(*) from matching)::integer as count`
}

/** Reads matches with their names from the word index, sorts them, and looks up only the users of the page. */
function buildWordSearch(
  { conditions, sizes, orderBy, cursorCondition, isNotExact, limitClause }: Search,
  words: Condition,
): string {
  const otherConditions = conditions.filter((condition) => condition !== words)
  const fullyRead = otherConditions.filter((condition) => getSize(sizes, condition) <= maxRead)
  const tested = otherConditions.filter((condition) => !fullyRead.includes(condition))
  const readTests = [isNotExact, ...fullyRead.map((condition) => toMembershipTest(condition, 'u.id'))].join(' and ')
  const matching = `select u.id, u.sort_name from (select w.user_id as id, w.sort_name from (${unionAll(words.from)}) w) u where ${readTests}`
  if (tested.length === 0)
    return `with named as materialized (${matching})
      select array(select u.id from named u where ${cursorCondition} ${orderBy} ${limitClause}) as ids,
        (select count(*) from named)::integer as count`
  return `select array(
      select u.id from (${matching} and ${cursorCondition} ${orderBy} offset 0) w
      cross join lateral (select * from ${sources.users} p where p.id = w.id offset 0) u
      where ${tested.map(({ predicate }) => predicate).join(' and ')} ${orderBy.replaceAll('u.', 'w.')} ${limitClause}) as ids,
    null::integer as count`
}

/** Scans users in list order until the page is full, or else collects and sorts all matches. */
function buildScan(
  search: Search,
  narrowest: Condition | undefined,
  { pageSize, parameters }: { pageSize: number; parameters: Parameters },
): string {
  const { conditions, sizes, orderBy, cursorCondition, isNotExact, limitClause } = search
  const rowTests = conditions.filter(({ usesUserRow }) => usesUserRow).map(({ predicate }) => predicate)
  const otherTests = conditions
    .filter(({ usesUserRow }) => !usesUserRow)
    .map((condition) =>
      getSize(sizes, condition) <= maxRead ? toMembershipTest(condition, 'u.id') : condition.predicate,
    )
  const tests = [isNotExact, ...otherTests].join(' and ')
  const indexed = conditions.filter(({ name }) => name === 'status').map(({ predicate }) => predicate)
  const inOrder = `select u.* from ${sources.users} u where ${[cursorCondition, ...indexed].join(' and ')} ${orderBy}`
  if (!narrowest)
    return `select array(select u.id from ${sources.users} u where ${cursorCondition} and ${isNotExact} ${orderBy} ${limitClause}) as ids,
      ${buildCount(allUsers, [], parameters)} as count`
  return `with scanned as materialized (
      select u.id from (${inOrder} limit ${maxScanned}) u where ${[...rowTests, tests].join(' and ')} ${orderBy} ${limitClause})
    select case when (select count(*) from scanned) = ${pageSize} then array(select id from scanned)
      else array(
        select u.id from (select distinct r.user_id from (${unionAll(narrowest.from)}) r) c
        cross join lateral (select * from ${sources.users} p where p.id = c.user_id offset 0) u
        where ${[...rowTests, tests].join(' and ')} and ${cursorCondition} ${orderBy} ${limitClause}) end as ids, null::integer as count`
}
