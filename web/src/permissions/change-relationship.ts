import type { NewRelationship, Relationship } from '@passport/contract/permission-terms'
import { listRelationshipHistory, listRelationships, writeRelationships } from '@passport/contract/permissions'
import { call } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'

/** Writes a relationship that must not be there yet. */
export const createRelationship = (relationship: NewRelationship) => write('create', relationship)

/** Deletes a relationship. */
export const deleteRelationship = (relationship: Relationship) => write('delete', relationship)

async function write(operation: 'create' | 'delete', relationship: NewRelationship): Promise<void> {
  await call(writeRelationships, { body: { updates: [{ operation, relationship }] } })
  await Promise.all(
    [listRelationships, listRelationshipHistory].map(({ path }) => queryClient.invalidateQueries({ queryKey: [path] })),
  )
}
