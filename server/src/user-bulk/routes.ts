import { maxCounted } from '@passport/contract/page'
import * as api from '@passport/contract/user-bulk'
import type { UserFilter } from '@passport/contract/users'
import type { Sql } from '../database/sql.ts'
import { Problem } from '../http/problem.ts'
import type { Room } from '../room.ts'
import * as search from '../user-search/store.ts'
import { changeAll } from './bulk.ts'
import { undoAll } from './undo.ts'

/** Changes of many people at once, and how they are taken back. */
export const userBulk: Room = ({ serve }, { sql, log }) => {
  serve(api.bulkChangeUsers, async ({ body, caller, visit }) => {
    const ids = body.query ? await idsOf(sql, body.query) : [...new Set(body.ids)]
    const request = { caller, visit, confirmSelfDemotion: body.confirmSelfDemotion }
    return changeAll(sql, ids, body, request, (err) => log.error({ err, traceId: visit.traceId }, 'bulk-change-broke'))
  })

  serve(api.undoBulkChange, ({ body, caller, visit }) =>
    undoAll(sql, body.undoToken, { caller, visit, confirmSelfDemotion: body.confirmSelfDemotion }),
  )
}

/** All whom a filter finds. Throws 400 `too-many` where there are more than are counted. */
async function idsOf(sql: Sql, filter: UserFilter): Promise<string[]> {
  const plan = await search.plan(sql, filter, { sort: 'name', direction: 'asc' })
  const { ids } = await search.find(sql, plan, { after: undefined, offset: 0, limit: maxCounted + 1 })
  if (ids.length <= maxCounted) return ids
  const errors = [{ field: 'query', code: 'too-many', message: `Finds more than ${maxCounted} people.` }]
  throw new Problem(400, 'too-many', `At most ${maxCounted} people at once: narrow the filter.`, { errors })
}
