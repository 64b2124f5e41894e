import { isDirectoryType } from './schema.ts'
import type { ShownRelationship } from './use-relations.ts'

/** Whether a relationship can be deleted here: the directory deletes its own. */
export const isDeletable = ({ relationship }: ShownRelationship): boolean =>
  !isDirectoryType(relationship.resource.type)
