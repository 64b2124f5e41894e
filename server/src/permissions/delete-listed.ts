import {
  type PermissionEngine,
  PermissionFault,
  type Precondition,
  type Relationship,
  type RelationshipChange,
  type Token,
  type WriteOptions,
} from '@passport/permissions'

type Options = WriteOptions<RelationshipChange> & { preconditions: Precondition[] | undefined }

/**
 * Deletes at most 1000 relationships atomically, ignoring their caveats and expirations. `deleted` has the existing
 * ones as they were stored. Faults refer to `relationships`.
 */
export async function deleteListed(
  engine: PermissionEngine,
  relationships: Relationship[],
  { preconditions, by, record }: Options,
): Promise<{ deletedAt: Token; deleted: Relationship[] }> {
  let deleted: Relationship[] = []
  const options: WriteOptions<RelationshipChange> = {
    ...(by && { by }),
    record: async (change, within) => {
      deleted = change.before
      await record?.(change, within)
    },
  }
  const updates = relationships.map((relationship) => ({ operation: 'delete' as const, relationship }))
  try {
    const { writtenAt } = await engine.writeRelationships(updates, preconditions, options)
    return { deletedAt: writtenAt, deleted }
  } catch (error) {
    throw error instanceof PermissionFault ? toListFault(error) : error
  }
}

/** Maps `updates.3.relationship.resource` to `relationships.3.resource`. */
function toListFault({ code, message, field }: PermissionFault) {
  const place = field?.replace(/^updates/, 'relationships').replace(/^(relationships\.\d+)\.relationship/, '$1')
  return new PermissionFault(code, message, place)
}
