import { v1 } from '@authzed/authzed-node'
import type { Token, WatchEvent, WatchFilter } from '@passport/permissions/engine'
import { PermissionFault } from '@passport/permissions/fault'
import { readFault } from './faults.ts'
import { fromRelationship, toFilter } from './messages.ts'

/** What watching needs of a client; it must not have a deadline. */
export type WatchClient = Pick<v1.ZedClientInterface, 'watch'>

/**
 * Every commit after `from`, or from now on, until the signal. SpiceDB's checkpoints come as events without updates: all
 * before their token has been told. The types are sifted here where there are filters too, since SpiceDB takes but one.
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
    for await (const answer of stream as AsyncIterable<v1.WatchResponse>) yield fromAnswer(answer, types)
  } catch (error) {
    if (!signal.aborted) throw faultOfStream(error)
  } finally {
    signal.removeEventListener('abort', stop)
    stream.cancel()
  }
}

/** The only moment that a stream is asked for is the one after which it begins. */
function faultOfStream(error: unknown): unknown {
  const fault = readFault(error, new Map())
  const isOfMoment = fault instanceof PermissionFault && fault.field === 'consistency.token'
  return isOfMoment ? new PermissionFault(fault.code, fault.message, 'from') : fault
}

function fromAnswer(answer: v1.WatchResponse, types: string[]): WatchEvent {
  return {
    token: answer.changesThrough?.token ?? '',
    updates: answer.updates.flatMap((update) => {
      if (update.relationship === undefined) return []
      const relationship = fromRelationship(update.relationship)
      if (types.length > 0 && !types.includes(relationship.resource.type)) return []
      const isDeleted = update.operation === v1.RelationshipUpdate_Operation.DELETE
      return [{ operation: isDeleted ? ('delete' as const) : ('touch' as const), relationship }]
    }),
    isSchemaChange: answer.schemaUpdated,
    ...(answer.isCheckpoint && { isCheckpoint: true as const }),
  }
}
