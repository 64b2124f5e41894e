import type { BinKind } from '@passport/contract/bin'
import type { Sql } from '../database/sql.ts'
import type { Cursor } from '../http/paging.ts'

export interface BinRow {
  kind: BinKind
  id: string
  name: string
  detail: string | null
  deletedAt: string
  deletedBy: { id: string; name: string } | null
}

/** What was deleted within so many days, latest first, from after the cursor (`deletedAt`, id) on. */
export async function list(
  sql: Sql,
  kind: BinKind | null,
  days: number,
  limit: number,
  after: Cursor | undefined,
): Promise<BinRow[]> {
  const [at, id] = after ?? ['infinity', '']
  return sql<BinRow[]>`
    select kind, id, name, detail, deleted_at, deleted_by from bin_entries
    where (${kind}::text is null or kind = ${kind}) and deleted_at > now() - make_interval(days => ${days})
      and (deleted_at, id) < (${at}::timestamptz, ${id})
    order by deleted_at desc, id desc limit ${limit}`
}
