import type { NewRelationship, Relationship } from '@passport/contract/permission-terms'
import { listRelationships, type Miss, writeRelationships } from '@passport/contract/permissions'
import { toExactFilter } from '@passport/permissions'
import { queryOptions } from '@tanstack/react-query'
import { call } from '../app/api.ts'
import { toRelationshipKey } from '../permissions/reference.ts'

/** Queries the stored relationship with the same key, regardless of its condition and expiry; null if there is none. */
export const storedRelationshipQuery = (relationship: NewRelationship) =>
  queryOptions({
    queryKey: [listRelationships.path, 'stored', toRelationshipKey(relationship)],
    queryFn: async ({ signal }): Promise<Relationship | null> => {
      const query = { ...toExactFilter(relationship), limit: 1, consistency: 'fullyConsistent' as const }
      return (await call(listRelationships, { query }, { signal })).items[0] ?? null
    },
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })

/**
 * Writes or deletes one relationship in place of `before`, the stored one; returns a function that restores it. Rejects
 * if another user has written or deleted the relationship since.
 */
export async function writeChange(
  { change, relationship }: Pick<Miss, 'change' | 'relationship'>,
  before: NewRelationship | null,
): Promise<() => Promise<unknown>> {
  const toRequest = (operation: 'touch' | 'delete', relationship: NewRelationship) => ({
    updates: [{ operation, relationship }],
  })
  const precondition = {
    operation: before ? ('mustMatch' as const) : ('mustNotMatch' as const),
    filter: toExactFilter(relationship),
  }
  const request = toRequest(change === 'add' ? 'touch' : 'delete', relationship)
  await call(writeRelationships, { body: { ...request, preconditions: [precondition] } })
  const undoRequest = before ? toRequest('touch', before) : toRequest('delete', relationship)
  return () => call(writeRelationships, { body: undoRequest })
}
