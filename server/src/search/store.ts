import type { FoundRecord } from '@passport/contract/search'
import type { Sql } from '../database/sql.ts'
import { wordQuery } from '../database/word-search.ts'

/**
 * What is meant by exactly this text, then what is called so from its beginning on, then what has such words; of each
 * kind as much as of the others. Each part names its kind, so that it is read from an index of that kind up to the limit.
 */
export async function find(sql: Sql, query: string, limit: number): Promise<FoundRecord[]> {
  const words = wordQuery(query) ?? ''
  return sql<FoundRecord[]>`
    with found as (
      select kind, id, name, detail, sort_name, 0 as rank from findable_records
      where id = ${query} or handle = lower(${query}) or email = lower(${query})
      union all
      (select kind, id, name, detail, sort_name, 1 from findable_records
      where kind = 'user' and ${words} <> '' and sort_name >= plain_text(${query})
        and sort_name < plain_text(${query}) || chr(1114109)
      order by sort_name, id limit ${limit})
      union all
      (select kind, id, name, detail, sort_name, 1 from findable_records
      where kind = 'org' and ${words} <> '' and sort_name >= plain_text(${query})
        and sort_name < plain_text(${query}) || chr(1114109)
      order by sort_name, id limit ${limit})
      union all
      (select kind, id, name, detail, sort_name, 1 from findable_records
      where kind = 'group' and ${words} <> '' and sort_name >= plain_text(${query})
        and sort_name < plain_text(${query}) || chr(1114109)
      order by sort_name, id limit ${limit})
      union all
      (select kind, id, name, detail, sort_name, 1 from findable_records
      where kind = 'role' and ${words} <> '' and sort_name >= plain_text(${query})
        and sort_name < plain_text(${query}) || chr(1114109)
      order by sort_name, id limit ${limit})
      union all
      (select kind, id, name, detail, sort_name, 2 from findable_records
      where kind = 'user' and search_words @@ to_tsquery('simple', ${words}) order by sort_name, id limit ${limit})
      union all
      (select kind, id, name, detail, sort_name, 2 from findable_records
      where kind = 'org' and search_words @@ to_tsquery('simple', ${words}) order by sort_name, id limit ${limit})
      union all
      (select kind, id, name, detail, sort_name, 2 from findable_records
      where kind = 'group' and search_words @@ to_tsquery('simple', ${words}) order by sort_name, id limit ${limit})
      union all
      (select kind, id, name, detail, sort_name, 2 from findable_records
      where kind = 'role' and search_words @@ to_tsquery('simple', ${words}) order by sort_name, id limit ${limit})
    ),
    placed as (
      select kind, id, name, detail, sort_name, min(rank) as rank,
        row_number() over (partition by kind order by min(rank), sort_name, id) as place
      from found group by kind, id, name, detail, sort_name
    )
    select kind, id, name, detail from placed order by rank, place, sort_name, id limit ${limit}`
}
