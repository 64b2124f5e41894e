import * as api from '@passport/contract/audit'
import { transaction } from '../database/sql.ts'
import { cursorPageOf, decodeInstantCursor } from '../http/paging.ts'
import type { Room } from '../room.ts'
import { entriesOf } from './entry.ts'
import { exportOf } from './export.ts'
import * as store from './store.ts'

/** The audit: what happened, who did it, and for how long that is kept. */
export const audit: Room = ({ serve }, { sql }) => {
  serve(api.listAuditEntries, async ({ query }) => {
    const rows = await store.listEntries(sql, query, query.limit + 1, decodeInstantCursor(query.after))
    const cursorOf = ({ at, id }: store.EntryRow) => [at, id] as const
    const page = cursorPageOf({ path: api.listAuditEntries.path, query, rows, cursorOf })
    return { ...page, items: await entriesOf(sql, page.items) }
  })

  serve(api.exportAuditEntries, async ({ query: { format, ...filter }, caller, visit }) => {
    const asked = Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
    const after = { format, filter: Object.fromEntries(asked) }
    await store.record(sql, {
      action: 'audit.exported',
      actorId: caller.id,
      target: { kind: 'audit', id: null },
      after,
      visit,
    })
    return exportOf(sql, filter, format)
  })

  serve(api.getAuditRetention, () => store.getRetention(sql))

  serve(api.putAuditRetention, ({ body: { days }, caller, visit }) =>
    transaction(sql, async (sql) => {
      const before = await store.setRetention(sql, days)
      const target = { kind: 'audit', id: 'retention' } as const
      if (before.days !== days)
        await store.record(sql, {
          action: 'audit.retention-changed',
          actorId: caller.id,
          target,
          before,
          after: { days },
          visit,
        })
      return { days }
    }),
  )
}
