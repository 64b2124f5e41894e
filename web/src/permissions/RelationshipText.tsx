import type { NewRelationship } from '@passport/contract/permission-terms'
import { printRelationship, toExactFilter } from '@passport/permissions'
import { Link } from '@tanstack/react-router'
import { RelationshipNames } from './ObjectName.tsx'

/**
 * A relationship as text with the names of both sides. A stored one links to the Relation Viewer; a new one has no link.
 */
export function RelationshipText({ relationship, isNew = false }: { relationship: NewRelationship; isNew?: boolean }) {
  const text = printRelationship(relationship)
  const className = 'font-mono text-[12.5px] [overflow-wrap:anywhere]'
  return (
    <span>
      {isNew ? (
        <code className={className}>{text}</code>
      ) : (
        <Link to="/admin/tools/relations" search={toExactFilter(relationship) as never} className={`link ${className}`}>
          {text}
        </Link>
      )}
      <RelationshipNames {...relationship} />
    </span>
  )
}
