import type { NewRelationship, RelationshipKey } from '@passport/contract/permission-terms'

/** Returns the identifying parts of a relationship, without condition and expiry. */
export const toRelationshipKey = ({ resource, relation, subject }: NewRelationship): RelationshipKey => ({
  resource,
  relation,
  subject,
})
