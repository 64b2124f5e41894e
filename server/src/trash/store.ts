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

interface TrashFilter {
  kind: TrashKind | null
  /** A part of the name or detail, or a whole id; empty for all. */
  text: string
  /** Only records deleted within this number of days. */
  days: number
}

/**
 * Lists deleted records, newest first, after the cursor (`deletedAt`, id). Each kind is read in the order of its index.
 */
export async function list(
  sql: Sql,
  { kind, text, days }: TrashFilter,
  limit: number,
  after: Cursor | undefined,
): Promise<TrashRow[]> {
  const [at, id] = after ?? ['infinity', '']
  const page = sql`
    where (${kind}::text is null or kind = ${kind})
      and (id = ${text} or position(plain_text(${text}) in plain_text(concat_ws(' ', name, detail))) > 0)
      and deleted_at > now() - make_interval(days => ${days}) and (deleted_at, id) < (${at}::timestamptz, ${id})
    order by deleted_at desc, id desc limit ${limit}`
  return sql<TrashRow[]>`
    select kind, id, name, detail, deleted_at, deleter_of(kind, id) as deleted_by from (
      select * from (
        (select kind, id, name, detail, deleted_at from deleted_users ${page})
        union all
        (select kind, id, name, detail, deleted_at from deleted_orgs ${page})
        union all
        (select kind, id, name, detail, deleted_at from deleted_groups ${page})
        union all
        (select kind, id, name, detail, deleted_at from deleted_identity_apis ${page})
        union all
        (select kind, id, name, detail, deleted_at from deleted_clients ${page})
        union all
        (select kind, id, name, detail, deleted_at from deleted_entitlements ${page})
        union all
        (select kind, id, name, detail, deleted_at from deleted_aws_products ${page})
        union all
        (select kind, id, name, detail, deleted_at from deleted_contents ${page})
      ) as entries
      order by deleted_at desc, id desc limit ${limit}
    ) as page
    order by deleted_at desc, id desc`
}
