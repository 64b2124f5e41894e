import type { FoundRecord } from '@passport/contract/search'
import type { Sql } from '../database/sql.ts'
import { wordQuery } from '../database/word-search.ts'

/**
 * What is meant by exactly this text, then what is called so from its beginning on, then what has such words; of each
 * kind as much as of the others. No part looks at more than `limit` of a kind, however many there are.
 */
export async function find(sql: Sql, query: string, limit: number): Promise<FoundRecord[]> {
  const words = wordQuery(query) ?? ''
  return sql<FoundRecord[]>`
    with kinds as (select unnest(array['user', 'org', 'group', 'role']) as kind),
    found as (
      select kind, id, name, detail, sort_name, 0 as rank from findable_records
      where id = ${query} or handle = lower(${query}) or email = lower(${query})
      union all
      select f.kind, f.id, f.name, f.detail, f.sort_name, 1 from kinds cross join lateral (
        select * from findable_records r
        where r.kind = kinds.kind and ${words} <> ''
          and r.sort_name >= plain_text(${query}) and r.sort_name < plain_text(${query}) || chr(1114109)
        order by r.sort_name limit ${limit}
      ) as f
      union all
      select f.kind, f.id, f.name, f.detail, f.sort_name, 2 from kinds cross join lateral (
        select * from findable_records r
        where r.kind = kinds.kind and r.search_words @@ to_tsquery('simple', ${words}) limit ${limit}
      ) as f
    ),
    placed as (
      select kind, id, name, detail, sort_name, min(rank) as rank,
        row_number() over (partition by kind order by min(rank), sort_name, id) as place
      from found group by kind, id, name, detail, sort_name
    )
    select kind, id, name, detail from placed order by rank, place, sort_name, id limit ${limit}`
}
