import type { NewRelationship, RelationshipKey } from '@passport/contract/permission-terms'

/** What a relationship is told apart by, without what is attached to it. */
export const nameOf = ({ resource, relation, subject }: NewRelationship): RelationshipKey => ({
  resource,
  relation,
  subject,
})
