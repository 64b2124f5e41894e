import type { NewRelationship } from '@passport/contract/permission-terms'
import { listRelationshipHistory, listRelationships, writeRelationships } from '@passport/contract/permissions'
import { call } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { isDirectoryType } from '../permissions/reference.ts'
import type { ShownRelationship } from './use-relations.ts'

/** Writes relationships that must not exist yet, all or none. */
export const createRelationships = (relationships: NewRelationship[]) => write('create', relationships)

/** Writes a relationship that must not exist yet. */
export const createRelationship = (relationship: NewRelationship) => write('create', [relationship])

/** Deletes a relationship. */
export const deleteRelationship = (relationship: NewRelationship) => write('delete', [relationship])

async function write(operation: 'create' | 'delete', relationships: NewRelationship[]): Promise<void> {
  const updates = relationships.map((relationship) => ({ operation, relationship }))
  await call(writeRelationships, { body: { updates } })
  await invalidateRelationships()
}

/** Invalidates the queries of relationships after a write. */
export async function invalidateRelationships(): Promise<void> {
  await Promise.all(
    [listRelationships, listRelationshipHistory].map(({ path }) => queryClient.invalidateQueries({ queryKey: [path] })),
  )
}

/** Whether a relationship can be deleted here: the directory deletes its own. */
export const isDeletable = ({ relationship }: ShownRelationship): boolean =>
  !isDirectoryType(relationship.resource.type)
