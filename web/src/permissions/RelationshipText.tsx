import type { NewRelationship } from '@passport/contract/permission-terms'
import { exactFilter } from '@passport/permissions/exact-filter'
import { printRelationship } from '@passport/permissions/relationship-text'
import { Link } from '@tanstack/react-router'

/** A relationship, as a link to where it stands in the Relation Viewer unless it `isNew` and stands nowhere. */
export function RelationshipText({ relationship, isNew = false }: { relationship: NewRelationship; isNew?: boolean }) {
  const text = printRelationship(relationship)
  const look = 'font-mono text-[12.5px] [overflow-wrap:anywhere]'
  if (isNew) return <code className={look}>{text}</code>
  return (
    <Link to="/admin/tools/relations" search={exactFilter(relationship) as never} className={`link ${look}`}>
      {text}
    </Link>
  )
}
