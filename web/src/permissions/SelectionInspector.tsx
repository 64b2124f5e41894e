import { useState } from 'react'
import { DeleteRelationship } from './DeleteRelationship.tsx'
import { isDeletable } from './deletable.ts'
import { ObjectInspector, RelationshipInspector } from './Inspector.tsx'
import { parseObject } from './reference.ts'
import type { ShownRelationship } from './use-relations.ts'

interface SelectionInspectorProps {
  at: string
  rows: readonly ShownRelationship[]
  expanded: string[]
  onSelect: (at: string | undefined) => void
  onExpand: (reference: string) => void
}

/** The inspector of the selection: a relationship by its key, or an object as a reference. */
export function SelectionInspector({ at, rows, expanded, onSelect, onExpand }: SelectionInspectorProps) {
  const [deleting, setDeleting] = useState(false)
  const row = rows.find(({ key }) => key === at)
  const object = parseObject(at)
  const close = () => onSelect(undefined)
  if (row) {
    const { relationship } = row
    return (
      <>
        <RelationshipInspector
          relationship={relationship}
          onClose={close}
          onSelect={onSelect}
          onDelete={isDeletable(row) ? () => setDeleting(true) : undefined}
        />
        <DeleteRelationship
          relationship={deleting ? relationship : undefined}
          onDeleted={close}
          onClose={() => setDeleting(false)}
        />
      </>
    )
  }
  if (!object) return null
  return (
    <ObjectInspector
      object={object}
      rows={rows}
      isExpanded={expanded.includes(at)}
      onClose={close}
      onSelect={onSelect}
      onExpand={() => onExpand(at)}
    />
  )
}
