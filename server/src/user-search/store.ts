import { maxCounted } from '@passport/contract/page'
import type { UserFilter, UserSort } from '@passport/contract/users'
import type { Sql } from '../database/sql.ts'
import type { Cursor } from '../http/paging.ts'
import { type Condition, conditionsOf, orderOf, Parameters, type Sources } from './conditions.ts'

const sources: Sources = {
  people: 'listed_users',
  withRole: 'people_with_role',
  withRoleOfThemselves: 'people_with_role_of_themselves',
  withRoleByGroup: 'people_with_role_by_group',
  ofOrg: 'people_of_org',
  ofProvider: 'people_of_provider',
}

/** How a filter is best answered, found once for all pages of a list. */
export interface SearchPlan {
  filter: UserFilter
  order: UserSort
  /** People whom the query names in full; they come first. */
  exact: string[]
  /** The condition of few people, from which to begin; none where everyone must be looked at in order. */
  driver: string | undefined
  /** Of all conditions the one of fewest people, as far as that was counted. */
  narrowest: string | undefined
  /** Where it is known without counting that there are more than are counted. */
  isBeyondCount: boolean
}

/** The most people from whom to begin: beyond, looking at everyone in order finds a page sooner. */
const maxDriven = maxCounted

/** Looks how many people each condition is true of, as far as that matters, and for those named in full. */
export async function plan(sql: Sql, filter: UserFilter, order: UserSort): Promise<SearchPlan> {
  const parameters = new Parameters()
  const conditions = conditionsOf(filter, sources, parameters)
  if (conditions.length === 0)
    return { filter, order, exact: [], driver: undefined, narrowest: undefined, isBeyondCount: false }
  const sizes = conditions.map(({ from }) => `(select count(*) from ${few(from)} s)::integer`)
  const exact = filter.query === undefined ? `'{}'::text[]` : exactHits(filter.query, conditions, parameters)
  const [found] = await sql.unsafe<{ sizes: number[]; exact: string[] }[]>(
    `select array[${sizes.join(', ')}] as sizes, ${exact} as exact`,
    parameters.values,
  )
  const smallest = Math.min(...(found?.sizes ?? []))
  const narrowest = conditions[found?.sizes.indexOf(smallest) ?? 0]?.name
  const isDriven = smallest <= maxDriven
  return {
    filter,
    order,
    exact: found?.exact ?? [],
    driver: isDriven ? narrowest : undefined,
    narrowest,
    isBeyondCount: !isDriven && conditions.length === 1,
  }
}

const few = (from: string[]) => {
  const read = from.map((select) => `(${select} limit ${maxDriven + 1})`).join(' union all ')
  return `(select distinct r.user_id from (${read}) r limit ${maxDriven + 1})`
}

/** By id, e-mail, username, or the `sub` of an identity provider. Many may have one e-mail: the first of them are told. */
function exactHits(query: string, conditions: Condition[], parameters: Parameters): string {
  const asked = parameters.add(query.trim())
  const others = conditions.filter(({ name }) => name !== 'query').map(({ isTrue }) => `and ${isTrue}`)
  return `array(
    select u.id from (
      select id from ${sources.people} where id = ${asked}
      union select id from ${sources.people} where lower(email) = lower(${asked})
      union select id from ${sources.people} where lower(username) = lower(${asked})
      union select user_id from ${sources.ofProvider} where subject = ${asked}
    ) e join ${sources.people} u on u.id = e.id
    where true ${others.join(' ')} order by u.sort_name, u.id limit 10)`
}

/**
 * So many people are looked at in order for a page of those of whom common conditions are true. It is enough unless these
 * stand together far down in that order, as all called Zoë do: then they are gathered and sorted.
 */
const maxWalked = 20_000

export interface Found {
  /** In the order of the list, those named in full first where it is the beginning of it. */
  ids: string[]
  /** How many there are in all, counted up to one more than `maxCounted`. */
  counted: number
  /** Whether counting was given up before all people were looked at. */
  isCountOpen: boolean
}

/** So many people are looked at to count those of whom several common conditions are true. */
const maxLookedAt = 50_000

interface Part {
  after: Cursor | undefined
  offset: number
  limit: number
}

/** After someone named in full come the others who are, and then the list from its beginning, wherever they are in it. */
function partOf(part: Part, exact: string[]): Part {
  const named = part.after ? exact.indexOf(part.after[1]) + 1 : 0
  return named > 0 ? { ...part, after: undefined, offset: named } : part
}

/** The ids of one part of a list. */
export async function find(
  sql: Sql,
  { filter, order, exact, driver, narrowest, isBeyondCount }: SearchPlan,
  part: Part,
): Promise<Found> {
  const { after, offset, limit } = partOf(part, exact)
  const parameters = new Parameters()
  const conditions = conditionsOf(filter, sources, parameters)
  const { orderBy, isAfter } = orderOf(order, after, parameters)
  const isOther = `not u.id = any(${parameters.add(`{${exact.map((id) => JSON.stringify(id)).join(',')}}`, 'text[]')})`
  const first = after === undefined ? exact.slice(offset, offset + limit) : []
  const rest = `limit ${limit - first.length} offset ${Math.max(0, offset - (after === undefined ? exact.length : 0))}`
  const begin = conditions.find(({ name }) => name === driver)
  const areTrue = [isOther, ...conditions.filter(({ name }) => name !== driver).map(({ isTrue }) => isTrue)].join(
    ' and ',
  )
  const inOrder = (where: string) => `select u.* from ${sources.people} u where ${where}`
  const all = conditions
    .find(({ name }) => name === narrowest)
    ?.from.map((select) => `(${select})`)
    .join(' union all ')
  const gathered = all
    ? `select u.id from (select distinct r.user_id from (${all}) r) c
        cross join lateral (select * from ${sources.people} p where p.id = c.user_id offset 0) u
        where ${areTrue} and ${isAfter} ${orderBy} ${rest}`
    : `select u.id from (${inOrder(`${areTrue} and ${isAfter}`)}) u ${orderBy} ${rest}`
  const lookedAt = conditions.length > 1 ? maxLookedAt : maxCounted + 1
  const [found] = await sql.unsafe<{ ids: string[]; counted: number; seen: number }[]>(
    begin
      ? `with matching as materialized (
          select u.id, u.sort_name, u.created_at, u.last_sign_in_at from ${few(begin.from)} c
          cross join lateral (select * from ${sources.people} p where p.id = c.user_id offset 0) u where ${areTrue})
        select array(select u.id from matching u where ${isAfter} ${orderBy} ${rest}) as ids,
          (select count(*) from matching)::integer as counted, 0 as seen`
      : `with walked as materialized (
          select u.id from (${inOrder(isAfter)} ${orderBy} limit ${maxWalked}) u where ${areTrue} ${orderBy} ${rest})
        select case when (select count(*) from walked) = ${limit - first.length} then array(select id from walked)
          else array(${gathered}) end as ids, c.counted, c.seen
        from (${
          isBeyondCount
            ? `select ${maxCounted + 1} as counted, 0 as seen`
            : `select (count(*) filter (where ${areTrue}))::integer as counted, count(*)::integer as seen
              from (select u.* from ${sources.people} u order by u.sort_name, u.id limit ${lookedAt}) u`
        }) c`,
    parameters.values,
  )
  const { ids = [], counted = 0, seen = 0 } = found ?? {}
  return {
    ids: [...first, ...ids],
    counted: Math.min(counted + exact.length, maxCounted + 1),
    isCountOpen: conditions.length > 1 && seen === maxLookedAt,
  }
}
