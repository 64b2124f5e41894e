import { formatCsvLine } from '@passport/contract/csv'
import { exportColumns } from '@passport/contract/user-imports'
import type { UserFilter, UserSort } from '@passport/contract/users'
import type { Sql } from '../database/sql.ts'
import type { Cursor } from '../http/paging.ts'
import * as orgs from '../orgs/store.ts'
import { toSortCursor } from './search-conditions.ts'
import * as search from './search-store.ts'
import * as users from './store.ts'

const batchSize = 1000

/** Yields the header and the users that match a filter as CSV, up to 1000 lines at a time. */
export async function* exportLines(sql: Sql, filter: UserFilter, order: UserSort): AsyncGenerator<string> {
  yield formatCsvLine([...exportColumns])
  const plan = await search.plan(sql, filter, order)
  for (let after: Cursor | undefined; ; ) {
    const { ids } = await search.find(sql, plan, { after, offset: 0, limit: batchSize })
    const rows = new Map((await users.listRows(sql, ids)).map((row) => [row.id, row]))
    const page = ids.flatMap((id) => rows.get(id) ?? [])
    const slugs = await orgs.listSlugs(
      sql,
      page.flatMap((row) => row.orgs.map((org) => org.id)),
    )
    yield page.map((row) => toCsvLine(row, slugs)).join('')
    const last = page.at(-1)
    if (!last || ids.length < batchSize) return
    after = toSortCursor(order.sort, last)
  }
}

function toCsvLine(row: users.UserRow, slugs: ReadonlyMap<string, string>): string {
  const cells: Record<(typeof exportColumns)[number], string | null> = {
    id: row.id,
    username: row.username,
    displayname: row.displayName,
    email: row.email,
    emailVerified: String(row.emailVerified),
    disabled: String(row.disabledAt !== null),
    roles: row.roles.join(' '),
    effectiveRoles: row.effectiveRoles.join(' '),
    organisations: row.orgs.flatMap(({ id }) => slugs.get(id) ?? []).join(';'),
    emailVerifiedBy: row.emailVerifiedBy,
    status: row.status,
    createdAt: row.createdAt,
    lastSignInAt: row.lastSignInAt,
  }
  return formatCsvLine(exportColumns.map((column) => cells[column] ?? ''))
}
