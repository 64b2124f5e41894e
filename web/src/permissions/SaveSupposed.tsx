import { previewDeletion, writeRelationships } from '@passport/contract/permissions'
import { printRelationship } from '@passport/permissions/relationship-text'
import { useState } from 'react'
import { call, failureOf } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { undoToast } from '../ui/undo-toast.ts'
import { DeletionEffect, useDeletionEffect } from './DeletionEffect.tsx'
import { nameOf } from './name-of.ts'
import { type Supposition, suppose } from './supposition.ts'

interface SaveSupposedProps {
  supposed: Supposition
  isOpen: boolean
  onClose: () => void
}

/** Asks whether the supposed relationships shall be real, and writes them, all or none. A schema is saved in its editor. */
export function SaveSupposed({ supposed, isOpen, onClose }: SaveSupposedProps) {
  const { add, remove, schema } = supposed
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const isRemoving = isOpen && remove.length > 0
  const effect = useDeletionEffect(isRemoving ? { relationships: remove.map(nameOf) } : undefined)

  async function save() {
    setBusy(true)
    setFailure(undefined)
    try {
      const undo = await write(supposed)
      suppose(schema === undefined ? undefined : { add: [], remove: [], schema })
      void undoToast('What was supposed is saved', undo, (error) => failureOf(error).detail)
      onClose()
    } catch (error) {
      setFailure(error)
    }
    setBusy(false)
  }

  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Save what is supposed?" className="w-[640px]">
      <Lines sign="+" word="Added" lines={add.map(printRelationship)} />
      <Lines sign="−" word="Removed" lines={remove.map(printRelationship)} />
      {isRemoving && (
        <div className="text-ink2">
          <DeletionEffect effect={effect} isOfList />
        </div>
      )}
      {schema !== undefined && (
        <p className="mt-3 text-ink2">
          The schema stays supposed: it is saved in its editor. Relationships that only it allows can be saved after it.
        </p>
      )}
      {failure !== undefined && (
        <div className="mt-3">
          <ErrorCard failure={failureOf(failure)} />
        </div>
      )}
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Keep supposing</Button>
        <Button look="primary" isBusy={isBusy} disabled={isRemoving && effect.isPending} onClick={() => void save()}>
          Save the relationships
        </Button>
      </div>
    </Dialog>
  )
}

function Lines({ sign, word, lines }: { sign: string; word: string; lines: string[] }) {
  if (lines.length === 0) return null
  return (
    <ul aria-label={word} className="mt-3 max-h-40 overflow-y-auto">
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

/** Writes it; gives what puts back what there was. */
async function write({ add, remove }: Supposition): Promise<() => Promise<unknown>> {
  const named = [...add, ...remove].map(nameOf)
  const { relationships: before } = await call(previewDeletion, { body: { relationships: named } })
  const known = new Set(before.map((one) => printRelationship(nameOf(one))))
  const isNew = (one: (typeof add)[number]) => !known.has(printRelationship(nameOf(one)))
  await writeAll(add, remove)
  return () => writeAll(before, add.filter(isNew))
}

async function writeAll(touched: Supposition['add'], deleted: Supposition['remove']): Promise<void> {
  const update = (operation: 'touch' | 'delete') => (relationship: Supposition['add'][number]) => ({
    operation,
    relationship,
  })
  await call(writeRelationships, {
    body: { updates: [...touched.map(update('touch')), ...deleted.map(update('delete'))] },
  })
  await queryClient.invalidateQueries()
}
