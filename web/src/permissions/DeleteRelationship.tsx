import { ApiError } from '@passport/contract/call'
import type { Relationship } from '@passport/contract/permission-terms'
import { type Loss, previewDeletion } from '@passport/contract/permissions'
import { exactFilter } from '@passport/permissions/exact-filter'
import { printRelationship } from '@passport/permissions/relationship-text'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { failureOf, query } from '../app/api.ts'
import { Confirm } from '../ui/Dialog.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { undoToast } from '../ui/undo-toast.ts'
import { createRelationship, deleteRelationship } from './change-relationship.ts'
import { printReference } from './reference.ts'

interface DeleteRelationshipProps {
  relationship: Relationship | undefined
  onDeleted: () => void
  onClose: () => void
}

/** Asks before a relationship is deleted, and tells who would lose what. */
export function DeleteRelationship({ relationship, onDeleted, onClose }: DeleteRelationshipProps) {
  const [failure, setFailure] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)

  async function remove(relationship: Relationship) {
    setBusy(true)
    setFailure(undefined)
    try {
      await deleteRelationship(relationship)
      onDeleted()
      void undoToast(
        `${printRelationship(relationship)} is deleted`,
        () => createRelationship(relationship),
        (error) => failureOf(error).detail,
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
      action="Delete"
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
          <Effect relationship={relationship} />
        </>
      )}
      {failure !== undefined && (
        <div className="mt-3">
          <ErrorCard failure={failureOf(failure)} />
        </div>
      )}
    </Confirm>
  )
}

/** What would come of it. */
function Effect({ relationship }: { relationship: Relationship }) {
  const { data, error } = useQuery({
    ...query(previewDeletion, { body: { filter: exactFilter(relationship) } }),
    // What was true a moment ago is no ground to delete on.
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })
  if (error instanceof ApiError && error.status === 501)
    return <p className="mt-3">This engine cannot tell beforehand what it would change.</p>
  if (error) return <p className="mt-3 text-bad">What it would change is not known: {failureOf(error).detail}</p>
  if (!data) return <p className="mt-3">Working out who would lose what …</p>
  const { losses, gains, isComplete } = data
  return (
    <div role="status" className="mt-3 grid gap-2">
      {losses.length + gains.length === 0 && isComplete && <p>Nobody loses anything by it.</p>}
      <Effects all={losses} verb="lose" />
      <Effects all={gains} verb="gain" />
      {!isComplete && <p className="text-warn">So much would change that not all of it was worked out.</p>}
    </div>
  )
}

function Effects({ all, verb }: { all: Loss[]; verb: 'lose' | 'gain' }) {
  if (all.length === 0) return null
  return (
    <ul className="grid gap-1.5">
      {all.map((one) => (
        <li key={`${printReference(one.resource)} ${one.permission} ${one.subjectType}`}>
          <span className="text-ink">{effectText(one, verb)}</span>
          <span className="block font-mono text-[12px] [overflow-wrap:anywhere]">
            {one.sample.map((id) => `${one.subjectType}:${id}`).join(', ')}
            {one.count > one.sample.length && ' …'}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** “7 subjects lose view on document:handbook”. */
function effectText({ resource, permission, count }: Loss, verb: 'lose' | 'gain'): string {
  const who = `${count.toLocaleString('en')}${count >= 1000 ? '+' : ''} ${count === 1 ? 'subject' : 'subjects'}`
  return `${who} ${count === 1 ? `${verb}s` : verb} ${permission} on ${printReference(resource)}`
}
