import type { Relationship } from '@passport/contract/permission-terms'
import { printRelationship, toExactFilter } from '@passport/permissions'
import { useState } from 'react'
import { toFailure } from '../app/api.ts'
import { Confirm } from '../ui/Dialog.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { undoToast } from '../ui/undo-toast.ts'
import { createRelationship, deleteRelationship } from './change-relationship.ts'
import { DeletionEffect, deleteButtonState, useDeletionEffect } from './DeletionEffect.tsx'

interface DeleteRelationshipProps {
  relationship: Relationship | undefined
  onDeleted: () => void
  onClose: () => void
}

/** Asks before deleting a relationship, and previews who loses what. */
export function DeleteRelationship({ relationship, onDeleted, onClose }: DeleteRelationshipProps) {
  const [failure, setFailure] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const effect = useDeletionEffect(relationship && { filter: toExactFilter(relationship) })

  async function remove(relationship: Relationship) {
    setBusy(true)
    setFailure(undefined)
    try {
      await deleteRelationship(relationship)
      onDeleted()
      void undoToast(
        `${printRelationship(relationship)} deleted`,
        () => createRelationship(relationship),
        (error) => toFailure(error).detail,
      )
    } catch (error) {
      setFailure(error)
    }
    setBusy(false)
  }

  return (
    <Confirm
      isOpen={relationship !== undefined}
      title="Delete this relationship?"
      {...deleteButtonState(effect)}
      isBusy={isBusy}
      onConfirm={() => relationship && void remove(relationship)}
      onClose={() => {
        setFailure(undefined)
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
      {failure !== undefined && (
        <div className="mt-3">
          <ErrorCard failure={toFailure(failure)} />
        </div>
      )}
    </Confirm>
  )
}
