import type { Relationship } from '@passport/contract/permission-terms'
import { printRelationship, toExactFilter } from '@passport/permissions'
import { useMutation } from '@tanstack/react-query'
import { toFailure } from '../app/api.ts'
import { DeletionEffect, getDeleteButtonProps, useDeletionEffect } from '../permissions/DeletionEffect.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { undoToast } from '../ui/undo-toast.ts'
import { createRelationship, deleteRelationship } from './change-relationship.ts'

interface DeleteRelationshipProps {
  relationship: Relationship
  isOpen: boolean
  onDeleted: () => void
  onClose: () => void
}

/** Asks before deleting a relationship, and previews who loses what. */
export function DeleteRelationship({ relationship, isOpen, onDeleted, onClose }: DeleteRelationshipProps) {
  const effect = useDeletionEffect(isOpen ? { filter: toExactFilter(relationship) } : undefined)

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
      isOpen={isOpen}
      title="Delete this relationship?"
      {...getDeleteButtonProps(effect)}
      isBusy={deletion.isPending}
      onConfirm={() => deletion.mutate(relationship)}
      onClose={() => {
        deletion.reset()
        onClose()
      }}
    >
      <code className="font-mono text-[12.5px] [overflow-wrap:anywhere] text-ink">
        {printRelationship(relationship)}
      </code>
      <DeletionEffect effect={effect} isList={false} />
      {deletion.error && (
        <div className="mt-3">
          <ErrorCard failure={toFailure(deletion.error)} />
        </div>
      )}
    </Confirm>
  )
}
