import type { NewRelationship } from '@passport/contract/permission-terms'
import { Link } from '@tanstack/react-router'
import { printReference } from './reference.ts'

/** In SpiceDB's form: `document:a#viewer@group:b#member[only_friday:{"day":"fri"}][expiration:2026-01-01T00:00:00Z]`. */
export function relationshipText({ resource, relation, subject, caveat, expiresAt }: NewRelationship): string {
  const context = caveat?.context && Object.keys(caveat.context).length > 0 ? `:${JSON.stringify(caveat.context)}` : ''
  const traits = [caveat && `[${caveat.name}${context}]`, expiresAt && `[expiration:${expiresAt}]`]
  return `${printReference(resource)}#${relation}@${printReference(subject)}${traits.filter(Boolean).join('')}`
}

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
  const text = relationshipText(relationship)
  const look = 'font-mono text-[12.5px] [overflow-wrap:anywhere]'
  if (isNew) return <code className={look}>{text}</code>
  return (
    <Link to="/admin/tools/relations" search={relationshipFilter(relationship) as never} className={`link ${look}`}>
      {text}
    </Link>
  )
}
