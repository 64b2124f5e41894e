import * as api from '@passport/contract/bin'
import { cursorPageOf, decodeInstantCursor } from '../http/paging.ts'
import type { Room } from '../room.ts'
import * as store from './store.ts'

/** The bin: what was deleted and can be given back. It is given back by the rooms whose it is. */
export const bin: Room = ({ serve }, { sql }) => {
  serve(api.listBin, async ({ query }) => {
    const { kind = null, limit } = query
    const rows = await store.list(sql, kind, api.restorableDays, limit + 1, decodeInstantCursor(query.after))
    const cursorOf = ({ deletedAt, id }: store.BinRow) => [deletedAt, id] as const
    const page = cursorPageOf({ path: api.listBin.path, query, rows, cursorOf })
    return { ...page, items: page.items.map(entryOf) }
  })
}

const dayMs = 24 * 60 * 60 * 1000

const entryOf = (row: store.BinRow): api.BinEntry => ({
  ...row,
  restorableUntil: new Date(Date.parse(row.deletedAt) + api.restorableDays * dayMs).toISOString(),
})
