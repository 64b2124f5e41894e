import * as api from '@passport/contract/audit'
import type { Feature } from '../feature.ts'
import { decodeInstantCursor, toCursorPage } from '../http/paging.ts'
import { toPictureUrl } from '../profile/avatar-url.ts'
import { choosePeriod } from './choose-period.ts'
import { toEntries } from './entry.ts'
import { exportEntries } from './export.ts'
import { changeRetention } from './retention.ts'
import * as store from './store.ts'

/** The audit log, and its retention period. */
export const audit: Feature = ({ serve }, { clients, config, sql }) => {
  const toUrl = (hash: string | null) => toPictureUrl(config.publicUrl, hash)

  serve(api.listAuditEntries, async ({ query }) => {
    const rows = await store.listEntries(sql, query, query.limit + 1, decodeInstantCursor(query.after))
    const cursorOf = ({ at, id }: store.EntryRow) => [at, id] as const
    const page = toCursorPage({ path: api.listAuditEntries.path, query, rows, cursorOf })
    return { ...page, items: await toEntries(sql, page.items, toUrl) }
  })

  serve(api.countAuditEntries, ({ query: { zone, ...filter } }) => store.countByDay(sql, filter, zone))

  serve(api.countSignIns, async ({ query: { from, to, zone, ...filter } }) => {
    const period = choosePeriod(from, to)
    const counts = await store.countSignIns(sql, filter, { ...period, zone })
    const named = counts.clients.map(async (facet) => ({
      ...facet,
      name: (await clients.find(facet.value))?.name ?? facet.name,
    }))
    return { ...period, ...counts, clients: await Promise.all(named) }
  })

  serve(api.exportAuditEntries, async ({ query: { format, ...filter }, caller, visit }) => {
    const filterFields = Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
    const after = { format, filter: Object.fromEntries(filterFields) }
    await store.record(sql, {
      action: 'audit.exported',
      actorId: caller.id,
      target: { kind: 'audit', id: null },
      after,
      visit,
    })
    return exportEntries(sql, filter, format, toUrl)
  })

  serve(api.getAuditRetention, () => store.getRetention(sql))

  serve(api.putAuditRetention, ({ body, caller, visit }) => changeRetention(sql, body, { caller, visit }))
}
