import type { Relationship } from '@passport/contract/permission-terms'
import { deleteListedRelationships } from '@passport/contract/permissions'
import { printRelationship } from '@passport/permissions'
import { useRef, useState } from 'react'
import { call } from '../app/api.ts'
import { BulkBar } from '../directory/BulkBar.tsx'
import { type BulkAction, type BulkResult, useBulk } from '../directory/bulk.tsx'
import type { Selection } from '../directory/selection.ts'
import { formatCount } from '../directory/total.ts'
import { DeletionEffect, getDeleteButtonProps, useDeletionEffect } from '../permissions/DeletionEffect.tsx'
import { toRelationshipKey } from '../permissions/reference.ts'
import { Confirm } from '../ui/Dialog.tsx'
import { createRelationships, invalidateRelationships } from './change-relationship.ts'
import type { ShownRelationship } from './use-relations.ts'

/** The service's maximum for one request. Several requests could not be undone together. */
const maxPerCall = 1000
const formatRelationships = (count: number) => formatCount(count, ['relationship', 'relationships'])

interface SelectedRelationshipsProps {
  rows: readonly ShownRelationship[]
  selection: Selection
}

/** The actions on selected relationships: deletion, after a preview of its effect. */
export function SelectedRelationships({ rows, selection }: SelectedRelationshipsProps) {
  const selected = rows.filter(({ key }) => selection.has(key)).map(({ relationship }) => relationship)
  const [confirming, setConfirming] = useState<Relationship[]>()
  const effect = useDeletionEffect(confirming && { relationships: confirming.map(toRelationshipKey) })
  const resolveAnswer = useRef<(isConfirmed: boolean) => void>(undefined)
  const running = useBulk(selection, (id) => id)

  const confirm = (relationships: Relationship[]) =>
    new Promise<boolean>((resolve) => {
      resolveAnswer.current = resolve
      setConfirming(relationships)
    }).finally(() => setConfirming(undefined))
  const remove: BulkAction = {
    label: 'Delete…',
    isDanger: true,
    doneMessage: (count) => `${formatRelationships(count)} deleted`,
    run: async () => ((await confirm(selected)) ? deleteAll(selected) : undefined),
  }

  // The selected relationships may have been deleted by another user.
  if (selected.length === 0 && !confirming) return null
  return (
    <>
      <BulkBar
        actions={selected.length > maxPerCall ? [] : [remove]}
        running={running}
        selection={selection}
        countText={
          selected.length > maxPerCall
            ? `Up to ${formatRelationships(maxPerCall)} can be deleted at once: ${selected.length.toLocaleString('en')}`
            : formatRelationships(selected.length)
        }
        matchingText={undefined}
      />
      <Confirm
        isOpen={confirming !== undefined}
        title={`Delete ${formatRelationships(confirming?.length ?? 0)}?`}
        {...getDeleteButtonProps(effect)}
        onConfirm={() => resolveAnswer.current?.(true)}
        onClose={() => resolveAnswer.current?.(false)}
      >
        {confirming && (
          <>
            <RelationshipList relationships={confirming} />
            <DeletionEffect effect={effect} isList />
          </>
        )}
      </Confirm>
    </>
  )
}

/** The maximum of relationships listed in the dialog; its title has the number of more. */
const maxNamed = 5

function RelationshipList({ relationships }: { relationships: Relationship[] }) {
  if (relationships.length > maxNamed) return null
  return (
    <ul className="grid gap-0.5 font-mono text-[12.5px] [overflow-wrap:anywhere] text-ink">
      {relationships.map(printRelationship).map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  )
}

/** Deletes all relationships or none; Undo restores them. */
async function deleteAll(relationships: Relationship[]): Promise<BulkResult> {
  const { deleted } = await call(deleteListedRelationships, {
    body: { relationships: relationships.map(toRelationshipKey) },
  })
  await invalidateRelationships()
  return { done: deleted.length, failed: [], undo: () => createRelationships(deleted) }
}
