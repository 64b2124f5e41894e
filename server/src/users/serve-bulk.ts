import * as api from '@passport/contract/user-bulk'
import type { UserFilter } from '@passport/contract/users'
import type { Sql } from '../database/sql.ts'
import type { Feature } from '../feature.ts'
import { bulkChangeUsers } from './bulk.ts'
import * as problems from './problems.ts'
import * as search from './search-store.ts'
import { undoBulkChange } from './undo-bulk.ts'

/** The maximum number of users that one bulk change by filter may affect. */
const maxUsers = 10_000

/** Serves bulk changes of users, and their undo. */
export const serveBulk: Feature = ({ serve }, { sql, log }) => {
  serve(api.bulkChangeUsers, async ({ body, caller, visit }) => {
    const ids = body.query ? await findIds(sql, body.query) : [...new Set(body.ids)]
    const request = { caller, visit, confirmSelfDemotion: body.confirmSelfDemotion }
    return bulkChangeUsers(sql, ids, body, request, (err) =>
      log.error({ err, traceId: visit.traceId }, 'bulk-change-failed'),
    )
  })

  serve(api.undoBulkChange, ({ body, caller, visit }) =>
    undoBulkChange(sql, body.undoToken, { caller, visit, confirmSelfDemotion: body.confirmSelfDemotion }),
  )
}

/** Returns the ids of all users that match a filter. Throws 400 `too-many` above `maxUsers`. */
async function findIds(sql: Sql, filter: UserFilter): Promise<string[]> {
  const plan = await search.plan(sql, filter, { sort: 'name', direction: 'asc' })
  const { ids } = await search.find(sql, plan, { after: undefined, offset: 0, limit: maxUsers + 1 })
  if (ids.length <= maxUsers) return ids
  throw problems.tooMany(maxUsers)
}
