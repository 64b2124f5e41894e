import type { UserFilter, UserSort } from '@passport/contract/users'
import { wordQuery } from '../database/word-search.ts'
import { type Cursor, isInstant } from '../http/paging.ts'
import { Problem } from '../http/problem.ts'

/** Collects the values of a statement; each is known by its number in it. */
export class Parameters {
  readonly values: string[] = []
  add(value: string, type = 'text'): string {
    this.values.push(value)
    return `$${this.values.length}::${type}`
  }
}

/**
 * One thing that a filter asks: `from` are the people of whom it is true, in the order of an index, so that some of them
 * are read without a look at all; `isTrue` says it of the person `u`, in words that no planner turns into a join.
 */
export interface Condition {
  name: string
  from: string[]
  isTrue: string
}

/** What there is to read from: views of the store. */
export interface Sources {
  people: string
  withRole: string
  withRoleOfThemselves: string
  withRoleByGroup: string
  ofOrg: string
  ofProvider: string
}

/** The conditions of a filter, all of which must be true. */
export function conditionsOf(filter: UserFilter, sources: Sources, parameters: Parameters): Condition[] {
  const { query, role, org, provider, status, lastSeen } = filter
  return [
    ...(query === undefined ? [] : [words(query, parameters)]),
    ...(role === undefined ? [] : [holding(role, sources, parameters)]),
    ...(org === undefined ? [] : [membership('org', sources.ofOrg, `x.org_id = ${parameters.add(org)}`)]),
    ...(provider === undefined
      ? []
      : [membership('provider', sources.ofProvider, `x.provider_id = ${parameters.add(provider)}`)]),
    ...(status === undefined ? [] : [state(statuses[status], sources)]),
    ...(lastSeen === undefined ? [] : [seen(lastSeen, sources, parameters)]),
  ]
}

function words(query: string, parameters: Parameters): Condition {
  const asked = `to_tsquery('simple', ${parameters.add(wordQuery(query))})`
  return {
    name: 'query',
    from: [`select w.id as user_id from people_with_words(${asked}) w (id)`],
    isTrue: `(u.search_words @@ ${asked}) is true`,
  }
}

const membership = (name: string, source: string, isOne: string): Condition => ({
  name,
  from: [`select x.user_id from ${source} x where ${isOne} order by x.user_id`],
  isTrue: `(select true from ${source} x where x.user_id = u.id and ${isOne} limit 1)`,
})

function holding(role: string, sources: Sources, parameters: Parameters): Condition {
  const isOne = `x.role = ${parameters.add(role)}`
  return {
    ...membership('role', sources.withRole, isOne),
    from: [
      `select x.user_id from ${sources.withRoleOfThemselves} x where ${isOne} order by x.user_id`,
      `select x.user_id from ${sources.withRoleByGroup} x where ${isOne} order by x.group_id, x.user_id`,
    ],
  }
}

const statuses = {
  active: 'u.disabled_at is null and u.activated_at is not null',
  invited: 'u.disabled_at is null and u.activated_at is null',
  disabled: 'u.disabled_at is not null',
}

/** Each is the condition of an index, word for word. */
const state = (isTrue: string, { people }: Sources): Condition => ({
  name: 'status',
  from: [`select u.id as user_id from ${people} u where ${isTrue} order by u.sort_name, u.id`],
  isTrue,
})

/** Who is new has not been away for long, even where they have never been there. */
function seen(lastSeen: string, { people }: Sources, parameters: Parameters): Condition {
  const lastTime = sortKeys.lastSignIn.sql
  // An inequality is read in the order of the index, where an equality would be sorted.
  const never = `${lastTime} <= '-infinity'`
  const away = () => {
    const since = `now() - make_interval(days => ${parameters.add(lastSeen, 'integer')})`
    return `${lastTime} < ${since} and u.created_at < ${since}`
  }
  const isTrue = lastSeen === 'never' ? never : away()
  return {
    name: 'lastSeen',
    from: [`select u.id as user_id from ${people} u where ${isTrue} order by ${lastTime}, u.id`],
    isTrue,
  }
}

const isMoment = (key: string) => key === '-infinity' || isInstant(key)

const sortKeys = {
  name: { sql: 'u.sort_name', type: 'text', isKey: () => true },
  created: { sql: 'u.created_at', type: 'timestamptz', isKey: isMoment },
  lastSignIn: { sql: `coalesce(u.last_sign_in_at, '-infinity')`, type: 'timestamptz', isKey: isMoment },
}

/** How a list is ordered, and what comes after a place in it. Throws 400 for a cursor of another order. */
export function orderOf({ sort, direction }: UserSort, after: Cursor | undefined, parameters: Parameters) {
  const { sql, type, isKey } = sortKeys[sort]
  if (after && !isKey(after[0])) throw new Problem(400, 'cursor-invalid', 'No page of this list ends there.')
  const beyond = direction === 'asc' ? '>' : '<'
  return {
    orderBy: `order by ${sql} ${direction}, u.id ${direction}`,
    isAfter: after
      ? `(${sql}, u.id) ${beyond} (${parameters.add(after[0], type)}, ${parameters.add(after[1])})`
      : 'true',
  }
}

/** The place of a person in a list of that order. */
export function cursorIn(
  sort: UserSort['sort'],
  row: { id: string; sortName: string; createdAt: string; lastSignInAt: string | null },
): Cursor {
  if (sort === 'name') return [row.sortName, row.id]
  return [sort === 'created' ? row.createdAt : (row.lastSignInAt ?? '-infinity'), row.id]
}
