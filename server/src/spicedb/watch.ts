import { v1 } from '@authzed/authzed-node'
import { PermissionError, type RelationshipFilter, type Token, type WatchEvent } from '@passport/permissions'
import type { SpiceDbClients } from './clients.ts'
import { toError } from './errors.ts'
import { fromRelationship, toFilter } from './messages.ts'

/**
 * Yields every commit after `from`, by default the current revision, until the signal is aborted. SpiceDB's checkpoints
 * become events without updates.
 */
export async function* watchSpiceDb(
  { watch: client }: SpiceDbClients,
  from: Token | undefined,
  filters: RelationshipFilter[],
  signal: AbortSignal,
): AsyncGenerator<WatchEvent> {
  if (signal.aborted) return
  const stream = client.watch({
    optionalObjectTypes: [],
    ...(from !== undefined && { optionalStartCursor: { token: from } }),
    optionalRelationshipFilters: filters.map(toFilter),
    optionalUpdateKinds: [
      v1.WatchKind.INCLUDE_RELATIONSHIP_UPDATES,
      v1.WatchKind.INCLUDE_SCHEMA_UPDATES,
      v1.WatchKind.INCLUDE_CHECKPOINTS,
    ],
  })
  const stop = () => stream.cancel()
  signal.addEventListener('abort', stop, { once: true })
  try {
    for await (const response of stream as AsyncIterable<v1.WatchResponse>) yield toWatchEvent(response)
  } catch (error) {
    if (!signal.aborted) throw toStreamError(error)
  } finally {
    signal.removeEventListener('abort', stop)
    stream.cancel()
  }
}

/** Converts an error of the stream. The only revision in a watch request is `from`. */
function toStreamError(error: unknown): unknown {
  const watchError = toError(error, [])
  const isTokenError = watchError instanceof PermissionError && watchError.field === 'consistency.token'
  return isTokenError ? new PermissionError(watchError.code, watchError.message, 'from') : watchError
}

function toWatchEvent(response: v1.WatchResponse): WatchEvent {
  return {
    token: response.changesThrough?.token ?? '',
    updates: response.updates.flatMap((update) => {
      if (update.relationship === undefined) return []
      const isDeleted = update.operation === v1.RelationshipUpdate_Operation.DELETE
      const operation = isDeleted ? ('delete' as const) : ('touch' as const)
      return [{ operation, relationship: fromRelationship(update.relationship) }]
    }),
    isSchemaChange: response.schemaUpdated,
    ...(response.isCheckpoint && { isCheckpoint: true as const }),
  }
}
