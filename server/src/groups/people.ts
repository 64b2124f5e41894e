import type { GroupPerson } from '@passport/contract/groups'
import { maxCounted } from '@passport/contract/page'
import type { Sql } from '../database/sql.ts'
import { toNameQuery } from '../database/word-search.ts'
import type { Cursor } from '../http/paging.ts'

/** The two lists of people in a group. */
export type Part = 'members' | 'owners'

interface Page {
  /** Null for all. */
  words: string | null
  after: Cursor | undefined
  offset: number
  limit: number
}

/**
 * Lists the people of a group, optionally by word prefixes, oldest first. Returns one more than `limit` if there are
 * more.
 */
export const list = (sql: Sql, groupId: string, part: Part, page: Page): Promise<GroupPerson[]> =>
  part === 'members' ? members(sql, groupId, page) : owners(sql, groupId, page)

const theBeginning = ['-infinity', ''] as const

async function members(sql: Sql, groupId: string, { words, after, offset, limit }: Page): Promise<GroupPerson[]> {
  const [at, id] = after ?? theBeginning
  const { beginning, others } = toNameQuery(words ?? '')
  return sql<GroupPerson[]>`
    select id, displayname, username, added_at from named_members
    where group_id = ${groupId} and (added_at, id) > (${at}::timestamptz, ${id})
      and (${words}::text is null or id = ${words} or id in (select user_id from users_by_words(${beginning}, ${others}) offset 0))
    order by added_at, id offset ${offset} limit ${limit + 1}`
}

async function owners(sql: Sql, groupId: string, { words, after, offset, limit }: Page): Promise<GroupPerson[]> {
  const [at, id] = after ?? theBeginning
  const { beginning, others } = toNameQuery(words ?? '')
  return sql<GroupPerson[]>`
    select id, displayname, username, added_at from named_owners
    where group_id = ${groupId} and (added_at, id) > (${at}::timestamptz, ${id})
      and (${words}::text is null or id = ${words} or id in (select user_id from users_by_words(${beginning}, ${others}) offset 0))
    order by added_at, id offset ${offset} limit ${limit + 1}`
}

/**
 * Counts matching people, exactly up to `maxCounted`; the estimate beyond is at most the number of people with these
 * words.
 */
export async function countMatches(sql: Sql, groupId: string, part: Part, words: string): Promise<number> {
  const { beginning, others } = toNameQuery(words)
  const [row] = await sql<[{ count: number }]>`
    select count_or_estimate(count(*), ${maxCounted},
      'select from user_words_matching($1[1], $1[2:])', ${[beginning, ...others]}::text[]) as count from (
      (select id from named_members where ${part} = 'members' and group_id = ${groupId}
         and (id = ${words} or id in (select user_id from users_by_words(${beginning}, ${others}) offset 0)))
      union all
      (select id from named_owners where ${part} = 'owners' and group_id = ${groupId}
         and (id = ${words} or id in (select user_id from users_by_words(${beginning}, ${others}) offset 0)))
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
