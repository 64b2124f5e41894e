import { maxCounted } from '@passport/contract/page'
import { type ListRange, pageWhere } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'
import { toNameQuery } from '../database/word-search.ts'

/** A list of users of a group. */
export type GroupList = 'members' | 'owners'

/** A member or owner with the hash of their picture. */
export interface GroupUserRow {
  id: string
  displayname: string
  username: string | null
  pictureHash: string | null
  addedAt: string
  /** Of a member who is one only by the mapping of an organisation. */
  source: 'mapping' | null
}

interface Page extends ListRange {
  /** Word prefixes of the name, or an id; null for all. */
  words: string | null
}

const viewOf = (sql: Sql, list: GroupList) => (list === 'members' ? sql`named_members` : sql`named_owners`)

/** Builds the condition that a user has these words in their name, or this id. */
function matchesWords(sql: Sql, words: string) {
  const { beginning, others } = toNameQuery(words)
  return sql`(id = ${words} or id in (select user_id from users_by_words(${beginning}, ${others}) offset 0))`
}

/** Lists the members or owners of a group, oldest first. Returns one more than `limit` if there are more. */
export async function list(
  sql: Sql,
  groupId: string,
  list: GroupList,
  { words, ...page }: Page,
): Promise<GroupUserRow[]> {
  const range = { ...page, limit: page.limit + 1 }
  const conditions = [sql`group_id = ${groupId}`, words === null ? undefined : matchesWords(sql, words)]
  return sql<GroupUserRow[]>`
    select id, displayname, username, picture_hash, added_at, ${list === 'members' ? sql`source` : sql`null as source`}
    from ${viewOf(sql, list)} ${pageWhere(sql, { key: 'added_at' }, range, ...conditions)}`
}

/**
 * Counts the members or owners with these words or this id, exactly up to `maxCounted`. Beyond, returns an estimate of
 * all users with these words.
 */
export async function countMatches(sql: Sql, groupId: string, list: GroupList, words: string): Promise<number> {
  const { beginning, others } = toNameQuery(words)
  const [row] = await sql<[{ count: number }]>`
    select count_or_estimate(count(*), ${maxCounted},
      'select from user_words_matching($1[1], $1[2:])', ${[beginning, ...others]}::text[]) as count
    from (
      select from ${viewOf(sql, list)} where group_id = ${groupId} and ${matchesWords(sql, words)}
      limit ${maxCounted + 1}
    ) found`
  return row.count
}

/** Reads the first members and owners of a group in one statement. */
export async function listFirst(sql: Sql, groupId: string, limit: number): Promise<Record<GroupList, GroupUserRow[]>> {
  const rows = await sql<(GroupUserRow & { list: GroupList })[]>`
    (select 'members' as list, id, displayname, username, picture_hash, added_at, source from named_members
     where group_id = ${groupId} order by added_at, id limit ${limit + 1})
    union all
    (select 'owners', id, displayname, username, picture_hash, added_at, null from named_owners
     where group_id = ${groupId} order by added_at, id limit ${limit + 1})`
  const select = (list: GroupList) => rows.filter((row) => row.list === list)
  return { members: select('members'), owners: select('owners') }
}

/** Lists the memberships of users in groups. */
export async function listMembersAmong(
  sql: Sql,
  groupIds: string[],
  userIds: string[],
): Promise<{ groupId: string; userId: string }[]> {
  return sql<{ groupId: string; userId: string }[]>`
    select group_id, id as user_id from named_members
    where group_id = any(${groupIds}) and id = any(${userIds}) order by group_id, id`
}
