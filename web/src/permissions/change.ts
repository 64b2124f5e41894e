import type { NewRelationship, Relationship } from '@passport/contract/permission-terms'
import { listRelationships, type Miss, writeRelationships } from '@passport/contract/permissions'
import { exactFilter } from '@passport/permissions/exact-filter'
import { queryOptions } from '@tanstack/react-query'
import { call } from '../app/api.ts'
import { nameOf } from './name-of.ts'

/** What stands in the place of a relationship now, under whatever condition and until whenever; null for nothing. */
export const storedQuery = (relationship: NewRelationship) =>
  queryOptions({
    queryKey: [listRelationships.path, 'stored', nameOf(relationship)],
    queryFn: async ({ signal }): Promise<Relationship | null> => {
      const query = { ...exactFilter(relationship), limit: 1, consistency: 'fullyConsistent' as const }
      return (await call(listRelationships, { query }, { signal })).items[0] ?? null
    },
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })

/**
 * Writes one relationship, or deletes it, over `before`; gives what puts that back. Rejects where somebody else added or
 * deleted it meanwhile: what they did would be undone by that.
 */
export async function writeChange(
  { change, relationship }: Pick<Miss, 'change' | 'relationship'>,
  before: NewRelationship | null,
): Promise<() => Promise<unknown>> {
  const writing = (operation: 'touch' | 'delete', relationship: NewRelationship) => ({
    updates: [{ operation, relationship }],
  })
  const asBefore = {
    operation: before ? ('mustMatch' as const) : ('mustNotMatch' as const),
    filter: exactFilter(relationship),
  }
  const done = writing(change === 'add' ? 'touch' : 'delete', relationship)
  await call(writeRelationships, { body: { ...done, preconditions: [asBefore] } })
  const undone = before ? writing('touch', before) : writing('delete', relationship)
  return () => call(writeRelationships, { body: undone })
}
