import * as api from '@passport/contract/trash'
import type { Feature } from '../feature.ts'
import { decodeInstantCursor, toCursorPage } from '../http/paging.ts'
import * as store from './store.ts'

/** The trash: deleted records that can be restored. Each feature restores its own records. */
export const trash: Feature = ({ serve }, { sql }) => {
  serve(api.listTrash, async ({ query }) => {
    const { kind = null, query: text = '', limit } = query
    const filter = { kind, text, days: api.restorableDays }
    const rows = await store.list(sql, filter, limit + 1, decodeInstantCursor(query.after))
    const cursorOf = ({ deletedAt, id }: store.TrashRow) => [deletedAt, id] as const
    const page = toCursorPage({ path: api.listTrash.path, query, rows, cursorOf })
    return { ...page, items: page.items.map(toTrashEntry) }
  })
}

const dayMs = 24 * 60 * 60 * 1000

const toTrashEntry = (row: store.TrashRow): api.TrashEntry => ({
  ...row,
  restorableUntil: new Date(Date.parse(row.deletedAt) + api.restorableDays * dayMs).toISOString(),
})
