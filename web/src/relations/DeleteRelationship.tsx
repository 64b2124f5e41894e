import type { Relationship } from '@passport/contract/permission-terms'
import { printRelationship, toExactFilter } from '@passport/permissions'
import { useMutation } from '@tanstack/react-query'
import { toFailure } from '../app/api.ts'
import { reportWithUndo } from '../app/messages.ts'
import { DeletionEffect, getDeleteButtonProps, useDeletionEffect } from '../permissions/DeletionEffect.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { createRelationship, deleteRelationship } from './change-relationship.ts'

interface DeleteRelationshipProps {
  relationship: Relationship
  isOpen: boolean
  onDeleted: () => void
  onClose: () => void
}

/** The confirmation of a deletion, with a preview of its effect. */
export function DeleteRelationship({ relationship, isOpen, onDeleted, onClose }: DeleteRelationshipProps) {
  const effect = useDeletionEffect(isOpen ? { filter: toExactFilter(relationship) } : undefined)

  const deletion = useMutation({
    mutationFn: deleteRelationship,
    onSuccess: (_, relationship) => {
      onDeleted()
      reportWithUndo(`${printRelationship(relationship)} deleted`, () => createRelationship(relationship))
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
