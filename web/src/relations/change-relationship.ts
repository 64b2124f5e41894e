import type { NewRelationship } from '@passport/contract/permission-terms'
import { listRelationshipHistory, listRelationships, writeRelationships } from '@passport/contract/permissions'
import { call } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { isDirectoryType } from '../permissions/reference.ts'
import type { ShownRelationship } from './use-relations.ts'

/** Creates relationships, all or none. Rejects if one exists. */
export const createRelationships = (relationships: NewRelationship[]) => write('create', relationships)

/** Creates a relationship. Rejects if it exists. */
export const createRelationship = (relationship: NewRelationship) => write('create', [relationship])

export const deleteRelationship = (relationship: NewRelationship) => write('delete', [relationship])

async function write(operation: 'create' | 'delete', relationships: NewRelationship[]): Promise<void> {
  const updates = relationships.map((relationship) => ({ operation, relationship }))
  await call(writeRelationships, { body: { updates } })
  await invalidateRelationships()
}

/** Invalidates the queries of relationships and of their history. */
export async function invalidateRelationships(): Promise<void> {
  await Promise.all(
    [listRelationships, listRelationshipHistory].map(({ path }) => queryClient.invalidateQueries({ queryKey: [path] })),
  )
}

/** Reports whether a relationship can be deleted here: the directory manages its own. */
export const isDeletable = ({ relationship }: ShownRelationship): boolean =>
  !isDirectoryType(relationship.resource.type)
