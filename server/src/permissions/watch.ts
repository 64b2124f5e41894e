import type { WatchEvent, WatchFilter } from '@passport/permissions/engine'
import { PermissionFault } from '@passport/permissions/fault'
import { fits } from '@passport/permissions/read-relationships'
import type { Relationship } from '@passport/permissions/relationship'
import type { Sql } from '../database/sql.ts'
import * as commitStore from './commit-store.ts'
import type { Follower } from './log.ts'
import { relationshipOf } from './rows.ts'
import { revisionOf, tokenOf } from './token.ts'

/** Where nothing is told, the log is looked at this often. */
const lookMs = 1000
const commitsAtOnce = 200
/** No commit after this many changes is read before those are told. */
const changesAtOnce = 5000
/** After so long without anything to tell, how far it came is told. */
const usualCheckpointMs = 5000

/**
 * Every commit after `from` that changes something of what is watched, in their order, until the signal; and now and
 * then how far it came, so that who hears of nothing for long can still begin again from where they were. Throws
 * `snapshot-gone` where commits are not told any more: what is watched is to be read anew then.
 */
export async function* watch(
  sql: Sql,
  follower: Follower,
  from: string | undefined,
  filter: WatchFilter,
  signal: AbortSignal,
  checkpointMs = usualCheckpointMs,
): AsyncIterable<WatchEvent> {
  const begin = await commitStore.readHead(sql)
  let seen = from === undefined ? begin.rev : revisionOf(from, begin, 'from')
  // A moment that has not been is one of before a backup was put back.
  if (seen < begin.horizon || seen > begin.rev) throw gone()
  let told = { rev: seen, at: Date.now() }
  while (!signal.aborted) {
    if (seen > told.rev && Date.now() - told.at >= checkpointMs) {
      const { epoch } = await commitStore.readHead(sql)
      told = { rev: seen, at: Date.now() }
      yield { token: tokenOf(epoch, seen), updates: [], isSchemaChange: false, isCheckpoint: true }
    }
    const known = follower.current()?.rev
    if (known === undefined || known > seen) {
      // Read as a whole: who is told may take their time, and no connection of the database waits for them.
      const commits = await commitsAfter(sql, seen, filter)
      for (const { rev, isTold, event } of commits) {
        seen = rev
        if (isTold) {
          told = { rev, at: Date.now() }
          yield event
        }
        if (signal.aborted) return
      }
      if (commits.length > 0) continue
      if (known !== undefined) throw gone()
    }
    await follower.news(lookMs, signal)
  }
}

const gone = () =>
  new PermissionFault(
    'snapshot-gone',
    'What was changed since is not kept one by one: read anew, and watch from then on.',
    'from',
  )

interface Commit {
  rev: number
  isTold: boolean
  event: WatchEvent
}

async function commitsAfter(sql: Sql, after: number, filter: WatchFilter): Promise<Commit[]> {
  const { epoch, rev: upTo } = await commitStore.readHead(sql)
  const commits: Commit[] = []
  let changes = 0
  for await (const rows of commitStore.readLog(sql, after, upTo, commitsAtOnce)) {
    for (const row of rows) {
      let commit = commits.at(-1)
      if (commit?.rev !== row.rev) {
        if (changes >= changesAtOnce) return commits
        if (row.rev !== after + commits.length + 1 || row.isReload) {
          if (commits.length > 0) return commits
          throw gone()
        }
        commit = commitOf(row, epoch)
        commits.push(commit)
      }
      if (!row.isChange) continue
      changes++
      const relationship = relationshipOf(row, row.after ?? {})
      if (!isWatched(relationship, filter)) continue
      commit.event.updates.push({ operation: row.after ? 'touch' : 'delete', relationship })
      commit.isTold = true
    }
  }
  return commits
}

const commitOf = ({ rev, isSchemaChange }: commitStore.LogRow, epoch: string): Commit => ({
  rev,
  isTold: isSchemaChange,
  event: { token: tokenOf(epoch, rev), updates: [], isSchemaChange },
})

const isWatched = (relationship: Relationship, { resourceTypes, relationships }: WatchFilter) =>
  (!resourceTypes && !relationships) ||
  resourceTypes?.includes(relationship.resource.type) ||
  relationships?.some((filter) => fits(relationship, filter))
