import * as api from '@passport/contract/audit'
import { cursorPageOf, decodeInstantCursor } from '../http/paging.ts'
import type { Room } from '../room.ts'
import { entryOf } from './entry.ts'
import * as store from './store.ts'

/** The audit: what happened, who did it, and for how long that is kept. */
export const audit: Room = ({ serve }, { sql }) => {
  serve(api.listAuditEntries, async ({ query }) => {
    const rows = await store.listEntries(sql, query, query.limit + 1, decodeInstantCursor(query.after))
    const cursorOf = ({ at, id }: store.EntryRow) => [at, id] as const
    const page = cursorPageOf({ path: api.listAuditEntries.path, query, rows, cursorOf })
    return { ...page, items: page.items.map(entryOf) }
  })
}
