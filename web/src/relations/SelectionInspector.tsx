import type { Relationship } from '@passport/contract/permission-terms'
import { printRelationship, toExactFilter } from '@passport/permissions'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { toFailure } from '../app/api.ts'
import { DeletionEffect, deleteButtonState, useDeletionEffect } from '../permissions/DeletionEffect.tsx'
import { parseObject } from '../permissions/reference.ts'
import { Confirm } from '../ui/Dialog.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { undoToast } from '../ui/undo-toast.ts'
import { createRelationship, deleteRelationship, isDeletable } from './change-relationship.ts'
import { ObjectInspector, RelationshipInspector } from './Inspector.tsx'
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

interface DeleteRelationshipProps {
  relationship: Relationship | undefined
  onDeleted: () => void
  onClose: () => void
}

/** Asks before deleting a relationship, and previews who loses what. */
export function DeleteRelationship({ relationship, onDeleted, onClose }: DeleteRelationshipProps) {
  const effect = useDeletionEffect(relationship && { filter: toExactFilter(relationship) })

  const deletion = useMutation({
    mutationFn: deleteRelationship,
    onSuccess: (_, relationship) => {
      onDeleted()
      void undoToast(
        `${printRelationship(relationship)} deleted`,
        () => createRelationship(relationship),
        (error) => toFailure(error).detail,
      )
    },
  })

  return (
    <Confirm
      isOpen={relationship !== undefined}
      title="Delete this relationship?"
      {...deleteButtonState(effect)}
      isBusy={deletion.isPending}
      onConfirm={() => relationship && deletion.mutate(relationship)}
      onClose={() => {
        deletion.reset()
        onClose()
      }}
    >
      {relationship && (
        <>
          <code className="font-mono text-[12.5px] [overflow-wrap:anywhere] text-ink">
            {printRelationship(relationship)}
          </code>
          <DeletionEffect effect={effect} isList={false} />
        </>
      )}
      {deletion.error && (
        <div className="mt-3">
          <ErrorCard failure={toFailure(deletion.error)} />
        </div>
      )}
    </Confirm>
  )
}
