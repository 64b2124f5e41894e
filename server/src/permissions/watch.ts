import type { WatchEvent, WatchFilter } from '@passport/permissions/engine'
import { PermissionFault } from '@passport/permissions/fault'
import { fits } from '@passport/permissions/read-relationships'
import type { Relationship } from '@passport/permissions/relationship'
import type { Sql } from '../database/sql.ts'
import type { Follower } from './log.ts'
import { relationshipOf } from './rows.ts'
import * as store from './store.ts'
import { revisionOf, tokenOf } from './token.ts'

/** Where nothing is told, the log is looked at this often. */
const lookMs = 1000
const commitsAtOnce = 200

/**
 * Every commit after `from` that changes something of what is watched, in their order, until the signal. Throws
 * `snapshot-gone` where commits are not told any more: what is watched is to be read anew then.
 */
export async function* watch(
  sql: Sql,
  follower: Follower,
  from: string | undefined,
  filter: WatchFilter,
  signal: AbortSignal,
): AsyncIterable<WatchEvent> {
  const { epoch, rev, horizon } = await store.readHead(sql)
  let seen = from === undefined ? rev : revisionOf(from, epoch)
  if (seen < horizon) throw gone()
  while (!signal.aborted) {
    const before = seen
    for await (const event of eventsAfter(sql, seen, epoch, filter)) {
      seen = event.rev
      if (event.isTold) yield event.event
      if (signal.aborted) return
    }
    if (seen === before) await follower.news(lookMs, signal)
  }
}

const gone = () => new PermissionFault('snapshot-gone', 'What was changed since is not kept one by one.', 'from')

interface Commit {
  rev: number
  isTold: boolean
  event: WatchEvent
}

async function* eventsAfter(sql: Sql, after: number, epoch: string, filter: WatchFilter): AsyncIterable<Commit> {
  let last = after
  let commit: Commit | undefined
  for await (const rows of store.readLog(sql, after, commitsAtOnce)) {
    for (const row of rows) {
      if (commit?.rev !== row.rev) {
        if (commit) yield commit
        if (row.rev !== last + 1 || row.isReload) throw gone()
        last = row.rev
        const { isSchemaChange } = row
        commit = {
          rev: row.rev,
          isTold: isSchemaChange,
          event: { token: tokenOf(epoch, row.rev), updates: [], isSchemaChange },
        }
      }
      if (!row.isChange) continue
      const relationship = relationshipOf(row, row.after ?? {})
      if (!isWatched(relationship, filter)) continue
      commit.event.updates.push({ operation: row.after ? 'touch' : 'delete', relationship })
      commit.isTold = true
    }
  }
  if (commit) yield commit
}

const isWatched = (relationship: Relationship, { resourceTypes, relationships }: WatchFilter) =>
  (!resourceTypes && !relationships) ||
  resourceTypes?.includes(relationship.resource.type) ||
  relationships?.some((filter) => fits(relationship, filter))
