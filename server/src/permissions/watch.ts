import { matchesFilter, PermissionError, type RelationshipFilter, type WatchEvent } from '@passport/permissions'
import type { Sql } from '../database/sql.ts'
import * as commitStore from './commit-store.ts'
import type { LogReplica } from './log-replica.ts'
import { toRelationship } from './rows.ts'
import { decodeRevision, encodeToken } from './token.ts'

/** The polling interval of the log, for lost notifications. */
const pollMs = 1000
const commitsPerRead = 200
/** The number of changes after which a read ends early. */
const changesPerRead = 5000
/** The period without events after which a checkpoint is sent. */
const defaultCheckpointMs = 5000

/**
 * Yields every commit after `from` that matches a filter, or every commit, in order, until the signal is aborted. After a period
 * without one, a checkpoint has the newest token to resume from. Throws `snapshot-gone` if a commit was swept from the
 * log or was a bulk load: the caller must then read all relationships again.
 */
export async function* watch(
  sql: Sql,
  replica: LogReplica,
  from: string | undefined,
  filters: RelationshipFilter[],
  signal: AbortSignal,
  checkpointMs = defaultCheckpointMs,
): AsyncIterable<WatchEvent> {
  const head = await commitStore.readHead(sql)
  let seen = from === undefined ? head.rev : decodeRevision(from, head, 'from')
  // A restored backup can lack the revision.
  if (seen < head.horizon || seen > head.rev) throw snapshotGone()
  let lastSent = { rev: seen, at: Date.now() }
  while (!signal.aborted) {
    if (seen > lastSent.rev && Date.now() - lastSent.at >= checkpointMs) {
      const { epoch } = await commitStore.readHead(sql)
      lastSent = { rev: seen, at: Date.now() }
      yield { token: encodeToken(epoch, seen), updates: [], isSchemaChange: false, isCheckpoint: true }
    }
    const replicaRev = replica.current()?.rev
    if (replicaRev === undefined || replicaRev > seen) {
      // No statement stays open while the consumer is slow.
      const commits = await readCommits(sql, seen, filters)
      for (const { rev, isWatched, event } of commits) {
        seen = rev
        if (isWatched) {
          lastSent = { rev, at: Date.now() }
          yield event
        }
        if (signal.aborted) return
      }
      if (commits.length > 0) continue
      if (replicaRev !== undefined) throw snapshotGone()
    }
    await replica.waitForChange(pollMs, signal)
  }
}

const snapshotGone = () =>
  new PermissionError(
    'snapshot-gone',
    'Changes since this revision are no longer available. Read all relationships again and watch from there.',
    'from',
  )

interface WatchedCommit {
  rev: number
  isWatched: boolean
  event: WatchEvent
}

async function readCommits(sql: Sql, after: number, filters: RelationshipFilter[]): Promise<WatchedCommit[]> {
  const { epoch, rev: upTo } = await commitStore.readHead(sql)
  const commits: WatchedCommit[] = []
  let changesRead = 0
  const log = commitStore.readCommits(sql, after, upTo, commitsPerRead)
  for await (const { rev, isReload, isSchemaChange, changes } of log) {
    if (changesRead >= changesPerRead) return commits
    if (rev !== after + commits.length + 1 || isReload) {
      if (commits.length > 0) return commits
      throw snapshotGone()
    }
    changesRead += changes.length
    const updates = changes
      .map((row) => ({
        operation: row.after ? ('touch' as const) : ('delete' as const),
        relationship: toRelationship(row, row.after ?? {}),
      }))
      .filter(
        ({ relationship }) => filters.length === 0 || filters.some((filter) => matchesFilter(relationship, filter)),
      )
    const event = { token: encodeToken(epoch, rev), updates, isSchemaChange }
    commits.push({ rev, isWatched: isSchemaChange || updates.length > 0, event })
  }
  return commits
}
