import type { NewRelationship } from '@passport/contract/permission-terms'
import { printRelationship } from '@passport/permissions/relationship-text'
import { Link } from '@tanstack/react-router'

/** The query of the Relation Viewer that shows this relationship alone, in the words of `listRelationships`. */
export const relationshipFilter = ({ resource, relation, subject }: NewRelationship) => ({
  resourceType: resource.type,
  resourceId: resource.id,
  relation,
  subjectType: subject.type,
  subjectId: subject.id,
  subjectRelation: subject.relation ?? '',
})

/** A relationship, as a link to where it stands in the Relation Viewer unless it `isNew` and stands nowhere. */
export function RelationshipText({ relationship, isNew = false }: { relationship: NewRelationship; isNew?: boolean }) {
  const text = printRelationship(relationship)
  const look = 'font-mono text-[12.5px] [overflow-wrap:anywhere]'
  if (isNew) return <code className={look}>{text}</code>
  return (
    <Link to="/admin/tools/relations" search={relationshipFilter(relationship) as never} className={`link ${look}`}>
      {text}
    </Link>
  )
}
