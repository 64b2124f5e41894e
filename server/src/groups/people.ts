import type { GroupPerson } from '@passport/contract/groups'
import { maxCounted } from '@passport/contract/page'
import { type ListRange, pageWhere } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'
import { toNameQuery } from '../database/word-search.ts'

/** The two lists of users in a group. */
export type Part = 'members' | 'owners'

interface Page extends ListRange {
  /** Null for all. */
  words: string | null
}

/** The view of each list. */
const viewOf = (sql: Sql, part: Part) => (part === 'members' ? sql`named_members` : sql`named_owners`)

/** Reports whether a row of a view is a person with these words in their name, or with this id. */
function matchesWords(sql: Sql, words: string) {
  const { beginning, others } = toNameQuery(words)
  return sql`(id = ${words} or id in (select user_id from users_by_words(${beginning}, ${others}) offset 0))`
}

/**
 * Lists the users of a group, optionally by word prefixes, oldest first. Returns one more than `limit` if there are
 * more.
 */
export async function list(sql: Sql, groupId: string, part: Part, { words, ...page }: Page): Promise<GroupPerson[]> {
  const range = { ...page, limit: page.limit + 1 }
  const conditions = [sql`group_id = ${groupId}`, words === null ? undefined : matchesWords(sql, words)]
  return sql<GroupPerson[]>`
    select id, displayname, username, added_at
    from ${viewOf(sql, part)} ${pageWhere(sql, { key: 'added_at' }, range, ...conditions)}`
}

/**
 * Counts matching users, exactly up to `maxCounted`; the estimate beyond is at most the number of users with these
 * words.
 */
export async function countMatches(sql: Sql, groupId: string, part: Part, words: string): Promise<number> {
  const { beginning, others } = toNameQuery(words)
  const [row] = await sql<[{ count: number }]>`
    select count_or_estimate(count(*), ${maxCounted},
      'select from user_words_matching($1[1], $1[2:])', ${[beginning, ...others]}::text[]) as count
    from (
      select from ${viewOf(sql, part)} where group_id = ${groupId} and ${matchesWords(sql, words)}
      limit ${maxCounted + 1}
    ) found`
  return row.count
}

/** Reads the first members and owners of a group in one statement. */
export async function listFirst(sql: Sql, groupId: string, limit: number): Promise<Record<Part, GroupPerson[]>> {
  const people = await sql<(GroupPerson & { part: Part })[]>`
    (select 'members' as part, id, displayname, username, added_at from named_members
     where group_id = ${groupId} order by added_at, id limit ${limit + 1})
    union all
    (select 'owners', id, displayname, username, added_at from named_owners
     where group_id = ${groupId} order by added_at, id limit ${limit + 1})`
  const select = (part: Part) => people.filter((person) => person.part === part)
  return { members: select('members'), owners: select('owners') }
}
