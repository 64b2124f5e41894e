import { toAsciiDomain } from '@passport/contract/email'
import type { SearchResult } from '@passport/contract/search'
import type { Sql } from '../database/sql.ts'
import { toAddressQuery, toNameQuery, toWordQuery } from '../database/word-search.ts'

/** The maximum number of matches by words that are sorted. */
const maxSorted = 1000

/**
 * Finds records: exact matches first, then name prefixes, then words, with the same number of each kind, and at last the
 * subscriptions of organisations. The search by
 * words has no sorted index, so of more than `maxSorted` matches it returns any.
 */
export async function find(sql: Sql, query: string, limit: number): Promise<SearchResult[]> {
  const words = toWordQuery(query)
  const { beginning, others } = toNameQuery(query)
  const person = toAddressQuery(query)
  return sql<SearchResult[]>`
    with found as (
      select 'user' as kind, id, name, detail, sort_name, 0 as rank from findable_users
      where id = ${query} or handle = lower(${query}) or email = lower(${toAsciiDomain(query)})
      union all
      select 'user', u.id, u.name, u.detail, u.sort_name, 0 from findable_connections c join findable_users u on u.id = c.user_id
      where c.connector = split_part(${query}, ':', 1) and c.external_id = substr(${query}, strpos(${query}, ':') + 1)
      union all
      select 'org', id, name, detail, sort_name, 0 from findable_orgs
      where id = ${query} or handle = lower(${query})
      union all
      select 'org', o.id, o.name, o.detail, o.sort_name, 0 from findable_tenants t join findable_orgs o on o.id = t.org_id
      where t.tenant_id = lower(${query}) or t.default_domain = lower(${query})
      union all
      select 'group', id, name, detail, sort_name, 0 from findable_groups
      where id = ${query}
      union all
      select 'role', id, name, detail, sort_name, 0 from findable_roles
      where handle = lower(${query})
      union all
      select 'client', id, name, detail, sort_name, 0 from findable_clients
      where handle = lower(${query})
      union all
      select 'identity-api', id, name, detail, sort_name, 0 from findable_identity_apis
      where id = ${query} or handle = lower(${query}) or audience = ${query}
      union all
      select 'entitlement', id, name, detail, sort_name, 0 from findable_entitlements
      where id = ${query} or handle = lower(${query})
      union all
      select 'aws-product', id, name, detail, sort_name, 0 from findable_aws_products
      where id = ${query} or handle = ${query} or product_id = ${query}
      union all
      select 'aws-subscription', id, name, detail, sort_name, 0 from findable_aws_subscriptions
      where id = ${query} or license_key = substring(${query} from '(?:^|:)(l-[0-9a-z]+)$') or agreement_id = ${query}
        or customer_aws_account_id = replace(${query}, ' ', '')
      union all
      select 'content', id, name, detail, sort_name, 0 from findable_contents
      where id = ${query}
      union all
      (select 'user', id, name, detail, sort_name, 1 from findable_users
      where ${words} <> '' and sort_name >= plain_text(${query}) and sort_name < plain_text(${query}) || chr(1114109)
      order by sort_name, id limit ${limit})
      union all
      (select 'org', id, name, detail, sort_name, 1 from findable_orgs
      where ${words} <> '' and sort_name >= plain_text(${query}) and sort_name < plain_text(${query}) || chr(1114109)
      order by sort_name, id limit ${limit})
      union all
      (select 'group', id, name, detail, sort_name, 1 from findable_groups
      where ${words} <> '' and sort_name >= plain_text(${query}) and sort_name < plain_text(${query}) || chr(1114109)
      order by sort_name, id limit ${limit})
      union all
      (select 'user', id, name, detail, sort_name, 2 from (
        select u.* from (
          select user_id from (
            select * from users_by_words(${person.beginning}, ${person.others})
            union all select * from users_by_address_words(${[person.beginning, ...person.others]}) limit ${maxSorted}
          ) as read
          order by sort_name collate "C", user_id limit ${limit}
        ) as first join findable_users u on u.id = first.user_id
      ) as called)
      union all
      (select 'org', id, name, detail, sort_name, 2 from (
        select * from findable_orgs where search_words @@ to_tsquery('simple', ${words}) limit ${maxSorted}
      ) as read order by sort_name, id limit ${limit})
      union all
      (select 'group', id, name, detail, sort_name, 2 from (
        select g.* from (
          select group_id from (select * from groups_by_words(${beginning}, ${others}) limit ${maxSorted}) as read
          order by sort_name collate "C", group_id limit ${limit}
        ) as first join findable_groups g on g.id = first.group_id
      ) as called)
      union all
      select 'role', id, name, detail, sort_name, case when starts_with(sort_name, plain_text(${query})) then 1 else 2 end
      from findable_roles where search_words @@ to_tsquery('simple', ${words})
      union all
      select 'client', id, name, detail, sort_name, case when starts_with(sort_name, plain_text(${query})) then 1 else 2 end
      from findable_clients where search_words @@ to_tsquery('simple', ${words})
      union all
      select 'identity-api', id, name, detail, sort_name,
        case when starts_with(sort_name, plain_text(${query})) then 1 else 2 end
      from findable_identity_apis where search_words @@ to_tsquery('simple', ${words})
      union all
      select 'entitlement', id, name, detail, sort_name,
        case when starts_with(sort_name, plain_text(${query})) then 1 else 2 end
      from findable_entitlements where search_words @@ to_tsquery('simple', ${words})
      union all
      select 'aws-product', id, name, detail, sort_name,
        case when starts_with(sort_name, plain_text(${query})) then 1 else 2 end
      from findable_aws_products where search_words @@ to_tsquery('simple', ${words})
      union all
      (select 'aws-subscription', s.id, s.name, s.detail, s.sort_name, 3 from (
        select id from findable_orgs where search_words @@ to_tsquery('simple', ${words}) limit ${maxSorted}
      ) as read join findable_aws_subscriptions s on s.org_id = read.id order by s.sort_name, s.id limit ${limit})
      union all
      select 'content', id, name, detail, sort_name,
        case when starts_with(sort_name, plain_text(${query})) then 1 else 2 end
      from findable_contents where search_words @@ to_tsquery('simple', ${words})
    ),
    placed as (
      select kind, id, name, detail, sort_name, min(rank) as rank,
        row_number() over (partition by kind order by min(rank), sort_name, id) as place
      from found group by kind, id, name, detail, sort_name
    )
    select kind, id, name, detail from placed order by rank, place, sort_name, id limit ${limit}`
}
