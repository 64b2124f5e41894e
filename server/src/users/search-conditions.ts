import type { UserFilter, UserSort } from '@passport/contract/users'
import { type NameQuery, toPrefixQuery } from '../database/word-search.ts'
import { type Cursor, isInstant } from '../http/paging.ts'
import { cursorInvalid } from '../http/problems.ts'

/** Collects the parameters of a statement, each identified by its number. */
export class Parameters {
  readonly values: string[] = []
  add(value: string, type = 'text'): string {
    this.values.push(value)
    return `$${this.values.length}::${type}`
  }
  addAll(values: string[]): string {
    return `array[${values.map((value) => this.add(value)).join(', ')}]::text[]`
  }
  /** Returns the statement with only its own parameters, renumbered: PostgreSQL rejects unused ones. */
  toStatement(statement: string): [text: string, values: string[]] {
    const used = [...new Set([...statement.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))]
    const text = statement.replaceAll(/\$(\d+)/g, (_, number) => `$${used.indexOf(Number(number)) + 1}`)
    return [text, used.map((number) => this.values[number - 1] ?? '')]
  }
}

/**
 * One condition of a filter. `from` selects the matching users in index order, so that a few can be read without a
 * scan. `predicate` tests the user `u`, in a form that no planner turns into a join.
 */
export interface Condition {
  name: string
  from: string[]
  predicate: string
  /** An equivalent query that the planner estimates better. */
  estimatedBy?: string
  /** Whether `predicate` reads only the user's row. */
  usesUserRow?: boolean
}

/** Builds a test that reads the matching users once, from an index, and looks up each tested user in memory. */
export const toMembershipTest = ({ from }: Condition, id: string): string =>
  `(${id} in (select r.user_id from (${unionAll(from)}) r offset 0)) is true`

/** Selects the users of a condition, possibly with duplicates. */
export const unionAll = (from: string[]): string => from.map((select) => `(${select})`).join(' union all ')

/** The names of the views that conditions read. */
export interface Sources {
  users: string
  roleHolders: string
  directRoleHolders: string
  groupRoleHolders: string
  orgMembers: string
  providerUsers: string
  connectedUsers: string
}

/** Returns the conditions of a filter, which are combined with `and`. `nameQuery` is its query, split into words. */
export function toConditions(
  filter: UserFilter,
  nameQuery: NameQuery,
  sources: Sources,
  parameters: Parameters,
): Condition[] {
  const { query, role, org, provider, status, lastSeen } = filter
  return [
    ...(query === undefined ? [] : [createWordsCondition(nameQuery, parameters)]),
    ...(role === undefined ? [] : [createRoleCondition(role, sources, parameters)]),
    ...(org === undefined
      ? []
      : [createMembershipCondition('org', sources.orgMembers, `x.org_id = ${parameters.add(org)}`)]),
    ...(provider === undefined
      ? []
      : [createMembershipCondition('provider', sources.providerUsers, `x.provider_id = ${parameters.add(provider)}`)]),
    ...(status === undefined ? [] : [createStatusCondition(statusPredicates[status], sources)]),
    ...(lastSeen === undefined ? [] : [createLastSeenCondition(lastSeen, sources, parameters)]),
  ]
}

function createWordsCondition({ beginning, others }: NameQuery, parameters: Parameters): Condition {
  const first = parameters.add(beginning)
  const wordArguments = `(${first}, ${parameters.addAll(others)})`
  const prefixes = parameters.addAll([beginning, ...others])
  const matchesWord = (word: string) => {
    const query = parameters.add(toPrefixQuery(word), 'tsquery')
    return `(u.search_words @@ ${query} or u.address_words @@ ${query})`
  }
  return {
    name: 'query',
    from: [
      `select w.user_id, w.sort_name collate "C" as sort_name from users_by_words${wordArguments} w`,
      `select w.user_id, w.sort_name collate "C" as sort_name from users_by_address_words(${prefixes}) w`,
    ],
    // By word and column: the planner has statistics of each column, and none of both together.
    predicate: `(${[beginning, ...others].map(matchesWord).join(' and ')}) is true`,
    estimatedBy: `select w.user_id from user_words_matching${wordArguments} w
      union all select w.user_id from address_words_beginning(${first}) w`,
    usesUserRow: true,
  }
}

const createMembershipCondition = (name: string, source: string, matches: string): Condition => ({
  name,
  from: [`select x.user_id from ${source} x where ${matches} order by x.user_id`],
  predicate: `(select true from ${source} x where x.user_id = u.id and ${matches} limit 1)`,
})

function createRoleCondition(role: string, sources: Sources, parameters: Parameters): Condition {
  const matches = `x.role = ${parameters.add(role)}`
  return {
    ...createMembershipCondition('role', sources.roleHolders, matches),
    from: [
      `select x.user_id from ${sources.directRoleHolders} x where ${matches} order by x.user_id`,
      `select x.user_id from ${sources.groupRoleHolders} x where ${matches} order by x.group_id, x.user_id`,
    ],
  }
}

/** Each predicate is exactly that of a partial index. */
const statusPredicates = {
  active: 'u.disabled_at is null and u.activated_at is not null',
  invited: 'u.disabled_at is null and u.activated_at is null',
  disabled: 'u.disabled_at is not null',
}

const createStatusCondition = (predicate: string, { users }: Sources): Condition => ({
  name: 'status',
  from: [`select u.id as user_id from ${users} u where ${predicate} order by u.sort_name, u.id`],
  predicate,
  usesUserRow: true,
})

/** Users created within the period are not absent, even if they have never signed in. */
function createLastSeenCondition(lastSeen: string, { users }: Sources, parameters: Parameters): Condition {
  const lastSignIn = sortKeys.lastSignIn.sql
  // For an inequality the planner reads the index in order; the results of an equality would be sorted.
  const neverSignedIn = `${lastSignIn} <= '-infinity'`
  const buildAbsence = () => {
    const cutoff = `now() - make_interval(days => ${parameters.add(lastSeen, 'integer')})`
    return `${lastSignIn} < ${cutoff} and u.created_at < ${cutoff}`
  }
  const predicate = lastSeen === 'never' ? neverSignedIn : buildAbsence()
  return {
    name: 'lastSeen',
    from: [`select u.id as user_id from ${users} u where ${predicate} order by ${lastSignIn}, u.id`],
    predicate,
    usesUserRow: true,
  }
}

const isSortInstant = (key: string) => key === '-infinity' || isInstant(key)

const sortKeys = {
  name: { sql: 'u.sort_name', type: 'text', isKey: () => true },
  created: { sql: 'u.created_at', type: 'timestamptz', isKey: isSortInstant },
  lastSignIn: { sql: `coalesce(u.last_sign_in_at, '-infinity')`, type: 'timestamptz', isKey: isSortInstant },
}

/** Returns the `order by` clause, and the condition for rows after the cursor. Throws 400 for a cursor of another order. */
export function toOrder({ sort, direction }: UserSort, after: Cursor | undefined, parameters: Parameters) {
  const { sql, type, isKey } = sortKeys[sort]
  if (after && !isKey(after[0])) throw cursorInvalid()
  const operator = direction === 'asc' ? '>' : '<'
  return {
    orderBy: `order by ${sql} ${direction}, u.id ${direction}`,
    cursorCondition: after
      ? `(${sql}, u.id) ${operator} (${parameters.add(after[0], type)}, ${parameters.add(after[1])})`
      : 'true',
  }
}

/** Returns the cursor of a user in a list with this order. */
export function toSortCursor(
  sort: UserSort['sort'],
  row: { id: string; sortName: string; createdAt: string; lastSignInAt: string | null },
): Cursor {
  if (sort === 'name') return [row.sortName, row.id]
  return [sort === 'created' ? row.createdAt : (row.lastSignInAt ?? '-infinity'), row.id]
}
