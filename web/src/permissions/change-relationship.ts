import type { NewRelationship, Relationship } from '@passport/contract/permission-terms'
import { listRelationshipHistory, listRelationships, writeRelationships } from '@passport/contract/permissions'
import { call } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'

/** Writes relationships that must not be there yet, all or none. */
export const createRelationships = (relationships: NewRelationship[]) => write('create', relationships)

/** Writes a relationship that must not be there yet. */
export const createRelationship = (relationship: NewRelationship) => write('create', [relationship])

/** Deletes a relationship. */
export const deleteRelationship = (relationship: Relationship) => write('delete', [relationship])

async function write(operation: 'create' | 'delete', relationships: NewRelationship[]): Promise<void> {
  const updates = relationships.map((relationship) => ({ operation, relationship }))
  await call(writeRelationships, { body: { updates } })
  await changed()
}

/** Relationships were written: what is shown of them is read anew. */
export async function changed(): Promise<void> {
  await Promise.all(
    [listRelationships, listRelationshipHistory].map(({ path }) => queryClient.invalidateQueries({ queryKey: [path] })),
  )
}
