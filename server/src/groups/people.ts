import type { GroupPerson } from '@passport/contract/groups'
import type { Sql } from '../database/sql.ts'
import type { Cursor } from '../http/paging.ts'

/** What the people of a group are in it. */
export type Part = 'members' | 'owners'

interface Page {
  /** Words of their names by their beginnings. */
  words: string | null
  after: Cursor | undefined
  limit: number
}

/** Those of a group, in the order in which they came; one more than `limit` tells that there are more. */
export const list = (sql: Sql, groupId: string, part: Part, page: Page): Promise<GroupPerson[]> =>
  part === 'members' ? members(sql, groupId, page) : owners(sql, groupId, page)

const beginning = ['-infinity', ''] as const

async function members(sql: Sql, groupId: string, { words, after, limit }: Page): Promise<GroupPerson[]> {
  const [at, id] = after ?? beginning
  if (words !== null)
    return sql<GroupPerson[]>`
      select id, displayname, username, added_at from named_members
      where group_id = ${groupId} and search_words @@ words_begun(${words}) and (added_at, id) > (${at}::timestamptz, ${id})
      order by added_at, id limit ${limit + 1}`
  return sql<GroupPerson[]>`
    select id, displayname, username, added_at from named_members
    where group_id = ${groupId} and (added_at, id) > (${at}::timestamptz, ${id})
    order by added_at, id limit ${limit + 1}`
}

async function owners(sql: Sql, groupId: string, { words, after, limit }: Page): Promise<GroupPerson[]> {
  const [at, id] = after ?? beginning
  return sql<GroupPerson[]>`
    select id, displayname, username, added_at from named_owners
    where group_id = ${groupId} and (${words}::text is null or search_words @@ words_begun(${words}))
      and (added_at, id) > (${at}::timestamptz, ${id})
    order by added_at, id limit ${limit + 1}`
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
