import type { GroupPerson } from '@passport/contract/groups'
import { maxCounted } from '@passport/contract/page'
import type { Sql } from '../database/sql.ts'
import { wordQuery } from '../database/word-search.ts'
import type { Cursor } from '../http/paging.ts'

/** What the people of a group are in it. */
export type Part = 'members' | 'owners'

interface Page {
  /** Null for all. */
  words: string | null
  after: Cursor | undefined
  offset: number
  limit: number
}

/** Those of a group, or of them those who have words that begin so, in the order in which they came; one more than `limit` tells that there are more. */
export const list = (sql: Sql, groupId: string, part: Part, page: Page): Promise<GroupPerson[]> =>
  part === 'members' ? members(sql, groupId, page) : owners(sql, groupId, page)

const beginning = ['-infinity', ''] as const

async function members(sql: Sql, groupId: string, { words, after, offset, limit }: Page): Promise<GroupPerson[]> {
  const [at, id] = after ?? beginning
  return sql<GroupPerson[]>`
    select id, displayname, username, added_at from named_members
    where group_id = ${groupId} and (added_at, id) > (${at}::timestamptz, ${id})
      and (${words}::text is null or id = ${words} or search_words @@ to_tsquery('simple', ${wordQuery(words ?? '')}))
    order by added_at, id offset ${offset} limit ${limit + 1}`
}

async function owners(sql: Sql, groupId: string, { words, after, offset, limit }: Page): Promise<GroupPerson[]> {
  const [at, id] = after ?? beginning
  return sql<GroupPerson[]>`
    select id, displayname, username, added_at from named_owners
    where group_id = ${groupId} and (added_at, id) > (${at}::timestamptz, ${id})
      and (${words}::text is null or id = ${words} or search_words @@ to_tsquery('simple', ${wordQuery(words ?? '')}))
    order by added_at, id offset ${offset} limit ${limit + 1}`
}

/** How many have words that begin so, up to one more than `maxCounted`. */
export async function countFound(sql: Sql, groupId: string, part: Part, words: string): Promise<number> {
  const [row] = await sql<[{ counted: number }]>`
    select count(*)::integer as counted from (
      (select id from named_members where ${part} = 'members' and group_id = ${groupId}
         and (id = ${words} or search_words @@ to_tsquery('simple', ${wordQuery(words)})))
      union all
      (select id from named_owners where ${part} = 'owners' and group_id = ${groupId}
         and (id = ${words} or search_words @@ to_tsquery('simple', ${wordQuery(words)})))
      limit ${maxCounted + 1}
    ) found`
  return row.counted
}

/** The first members and owners of a group, by one statement. */
export async function first(sql: Sql, groupId: string, limit: number): Promise<Record<Part, GroupPerson[]>> {
  const people = await sql<(GroupPerson & { part: Part })[]>`
    (select 'members' as part, id, displayname, username, added_at from named_members
     where group_id = ${groupId} order by added_at, id limit ${limit + 1})
    union all
    (select 'owners', id, displayname, username, added_at from named_owners
     where group_id = ${groupId} order by added_at, id limit ${limit + 1})`
  const of = (part: Part) => people.filter((person) => person.part === part)
  return { members: of('members'), owners: of('owners') }
}
