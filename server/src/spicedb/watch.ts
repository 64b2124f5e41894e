import { v1 } from '@authzed/authzed-node'
import { PermissionError, type Token, type WatchEvent, type WatchFilter } from '@passport/permissions'
import { toError } from './errors.ts'
import { fromRelationship, toFilter } from './messages.ts'

/** A client for a watch, without a deadline. */
export type WatchClient = Pick<v1.ZedClientInterface, 'watch'>

/**
 * Yields every commit after `from`, by default the current revision, until the signal is aborted. SpiceDB's checkpoints
 * become events without updates. SpiceDB accepts either types or filters, so types beside filters are matched here.
 */
export async function* watchSpiceDb(
  client: WatchClient,
  from: Token | undefined,
  filter: WatchFilter,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent> {
  if (signal.aborted) return
  const filters = filter.relationships ?? []
  const types = filter.resourceTypes ?? []
  const stream = client.watch({
    optionalObjectTypes: filters.length === 0 ? types : [],
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
    for await (const response of stream as AsyncIterable<v1.WatchResponse>) yield toWatchEvent(response, types)
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

function toWatchEvent(response: v1.WatchResponse, types: string[]): WatchEvent {
  return {
    token: response.changesThrough?.token ?? '',
    updates: response.updates.flatMap((update) => {
      if (update.relationship === undefined) return []
      const relationship = fromRelationship(update.relationship)
      if (types.length > 0 && !types.includes(relationship.resource.type)) return []
      const isDeleted = update.operation === v1.RelationshipUpdate_Operation.DELETE
      return [{ operation: isDeleted ? ('delete' as const) : ('touch' as const), relationship }]
    }),
    isSchemaChange: response.schemaUpdated,
    ...(response.isCheckpoint && { isCheckpoint: true as const }),
  }
}
