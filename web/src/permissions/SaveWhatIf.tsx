import { previewDeletion, writeRelationships } from '@passport/contract/permissions'
import { printRelationship } from '@passport/permissions'
import { useState } from 'react'
import { call, toFailure } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { undoToast } from '../ui/undo-toast.ts'
import { DeletionEffect, useDeletionEffect } from './DeletionEffect.tsx'
import { toRelationshipKey } from './relationship-key.ts'
import { setWhatIf, type WhatIfState } from './what-if.ts'

interface SaveWhatIfProps {
  whatIf: WhatIfState
  isOpen: boolean
  onClose: () => void
}

/** Asks whether to write the supposed relationships, all or none. A schema is saved in its editor. */
export function SaveWhatIf({ whatIf, isOpen, onClose }: SaveWhatIfProps) {
  const { add, remove, schema } = whatIf
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const isRemoving = isOpen && remove.length > 0
  const effect = useDeletionEffect(isRemoving ? { relationships: remove.map(toRelationshipKey) } : undefined)

  async function save() {
    setBusy(true)
    setFailure(undefined)
    try {
      const undo = await writeWhatIf(whatIf)
      setWhatIf(schema === undefined ? undefined : { add: [], remove: [], schema })
      void undoToast('Relationships saved', undo, (error) => toFailure(error).detail)
      onClose()
    } catch (error) {
      setFailure(error)
    }
    setBusy(false)
  }

  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Save these relationships?" className="w-[640px]">
      <ChangeList sign="+" label="Added" lines={add.map(printRelationship)} />
      <ChangeList sign="−" label="Deleted" lines={remove.map(printRelationship)} />
      {isRemoving && (
        <div className="text-ink2">
          <DeletionEffect effect={effect} isList />
        </div>
      )}
      {schema !== undefined && (
        <p className="mt-3 text-ink2">
          The draft schema is not included. If a relationship needs it, save it in the schema editor first.
        </p>
      )}
      {failure !== undefined && (
        <div className="mt-3">
          <ErrorCard failure={toFailure(failure)} />
        </div>
      )}
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="primary" isBusy={isBusy} disabled={isRemoving && effect.isPending} onClick={() => void save()}>
          Save relationships
        </Button>
      </div>
    </Dialog>
  )
}

function ChangeList({ sign, label, lines }: { sign: string; label: string; lines: string[] }) {
  if (lines.length === 0) return null
  return (
    <ul aria-label={label} className="mt-3 max-h-40 overflow-y-auto">
      {lines.map((line) => (
        <li key={line}>
          <code className={`font-mono text-[12.5px] [overflow-wrap:anywhere] ${sign === '+' ? 'text-ok' : 'text-bad'}`}>
            <span aria-hidden="true">{sign} </span>
            {line}
          </code>
        </li>
      ))}
    </ul>
  )
}

/** Writes the supposition; returns a function that restores the previous state. */
async function writeWhatIf({ add, remove }: WhatIfState): Promise<() => Promise<unknown>> {
  const keys = [...add, ...remove].map(toRelationshipKey)
  const { relationships: before } = await call(previewDeletion, { body: { relationships: keys } })
  const existingKeys = new Set(before.map((relationship) => printRelationship(toRelationshipKey(relationship))))
  const isNew = (relationship: (typeof add)[number]) =>
    !existingKeys.has(printRelationship(toRelationshipKey(relationship)))
  await writeAll(add, remove)
  return () => writeAll(before, add.filter(isNew))
}

async function writeAll(added: WhatIfState['add'], removed: WhatIfState['remove']): Promise<void> {
  const update = (operation: 'touch' | 'delete') => (relationship: WhatIfState['add'][number]) => ({
    operation,
    relationship,
  })
  await call(writeRelationships, {
    body: { updates: [...added.map(update('touch')), ...removed.map(update('delete'))] },
  })
  await queryClient.invalidateQueries()
}
