import type { NewRelationship } from '@passport/contract/permission-terms'
import { exactFilter } from '@passport/permissions/exact-filter'
import { printRelationship } from '@passport/permissions/relationship-text'
import { Link } from '@tanstack/react-router'
import { NamesOfBoth } from './ObjectName.tsx'

/**
 * A relationship, as a link to where it stands in the Relation Viewer unless it `isNew` and stands nowhere, and what the
 * directory calls its two sides.
 */
export function RelationshipText({ relationship, isNew = false }: { relationship: NewRelationship; isNew?: boolean }) {
  const text = printRelationship(relationship)
  const look = 'font-mono text-[12.5px] [overflow-wrap:anywhere]'
  return (
    <span>
      {isNew ? (
        <code className={look}>{text}</code>
      ) : (
        <Link to="/admin/tools/relations" search={exactFilter(relationship) as never} className={`link ${look}`}>
          {text}
        </Link>
      )}
      <NamesOfBoth {...relationship} />
    </span>
  )
}
