import { useState } from 'react'
import { DeleteRelationship } from './DeleteRelationship.tsx'
import { isDeletable } from './deletable.ts'
import { ObjectInspector, RelationshipInspector } from './Inspector.tsx'
import { readObject } from './reference.ts'
import type { ShownRelationship } from './use-relations.ts'

interface LookedAtProps {
  at: string
  rows: readonly ShownRelationship[]
  opened: string[]
  onLookAt: (at: string | undefined) => void
  onExpand: (reference: string) => void
}

/** What is looked at: a relationship by its key, or an object as a reference. */
export function LookedAt({ at, rows, opened, onLookAt, onExpand }: LookedAtProps) {
  const [deleting, setDeleting] = useState(false)
  const row = rows.find(({ key }) => key === at)
  const object = readObject(at)
  const close = () => onLookAt(undefined)
  if (row) {
    const { relationship } = row
    return (
      <>
        <RelationshipInspector
          relationship={relationship}
          onClose={close}
          onLookAt={onLookAt}
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
      isOpened={opened.includes(at)}
      onClose={close}
      onLookAt={onLookAt}
      onExpand={() => onExpand(at)}
    />
  )
}
