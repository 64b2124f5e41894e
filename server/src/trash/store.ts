import type { TrashKind } from '@passport/contract/trash'
import type { Sql } from '../database/sql.ts'
import type { Cursor } from '../http/paging.ts'

export interface TrashRow {
  kind: TrashKind
  id: string
  name: string
  detail: string | null
  deletedAt: string
  deletedBy: { id: string; name: string } | null
}

/**
 * Lists items deleted within `days`, latest first, after the cursor (`deletedAt`, id). Each kind is read in the order
 * of its index.
 */
export async function list(
  sql: Sql,
  kind: TrashKind | null,
  days: number,
  limit: number,
  after: Cursor | undefined,
): Promise<TrashRow[]> {
  const [at, id] = after ?? ['infinity', '']
  return sql<TrashRow[]>`
    select kind, id, name, detail, deleted_at, deleter_of(kind, id) as deleted_by from (
      select * from (
      (select kind, id, name, detail, deleted_at from deleted_users
      where (${kind}::text is null or kind = ${kind})
        and deleted_at > now() - make_interval(days => ${days}) and (deleted_at, id) < (${at}::timestamptz, ${id})
      order by deleted_at desc, id desc limit ${limit})
      union all
      (select kind, id, name, detail, deleted_at from deleted_orgs
      where (${kind}::text is null or kind = ${kind})
        and deleted_at > now() - make_interval(days => ${days}) and (deleted_at, id) < (${at}::timestamptz, ${id})
      order by deleted_at desc, id desc limit ${limit})
      union all
      (select kind, id, name, detail, deleted_at from deleted_groups
      where (${kind}::text is null or kind = ${kind})
        and deleted_at > now() - make_interval(days => ${days}) and (deleted_at, id) < (${at}::timestamptz, ${id})
      order by deleted_at desc, id desc limit ${limit})
      ) as entries
      order by deleted_at desc, id desc limit ${limit}
    ) as page
    order by deleted_at desc, id desc`
}
