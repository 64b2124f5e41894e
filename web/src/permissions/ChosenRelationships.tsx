import type { Relationship } from '@passport/contract/permission-terms'
import { deleteListedRelationships } from '@passport/contract/permissions'
import { printRelationship } from '@passport/permissions/relationship-text'
import { useRef, useState } from 'react'
import { call } from '../app/api.ts'
import { BulkBar } from '../directory/BulkBar.tsx'
import { type BulkAction, type BulkResult, useBulk } from '../directory/bulk.tsx'
import type { Selection } from '../directory/selection.ts'
import { Confirm } from '../ui/Dialog.tsx'
import { changed, createRelationships } from './change-relationship.ts'
import { DeletionEffect, deletionIn, useDeletionEffect } from './DeletionEffect.tsx'
import { nameOf } from './name-of.ts'
import type { ShownRelationship } from './use-relations.ts'

/** The service takes no more in one call, and what is deleted in two could not be put back as one. */
const mostAtOnce = 1000
const counted = (count: number) => (count === 1 ? '1 relationship' : `${count.toLocaleString('en')} relationships`)

interface ChosenRelationshipsProps {
  rows: readonly ShownRelationship[]
  selection: Selection
}

/** What can be done to the chosen relationships: they are deleted together, once the effect of that is known. */
export function ChosenRelationships({ rows, selection }: ChosenRelationshipsProps) {
  const chosen = rows.filter(({ key }) => selection.has(key)).map(({ relationship }) => relationship)
  const [asked, setAsked] = useState<Relationship[]>()
  const effect = useDeletionEffect(asked && { relationships: asked.map(nameOf) })
  const answer = useRef<(isYes: boolean) => void>(undefined)
  const running = useBulk(selection, (id) => id)

  const ask = (relationships: Relationship[]) =>
    new Promise<boolean>((resolve) => {
      answer.current = resolve
      setAsked(relationships)
    }).finally(() => setAsked(undefined))
  const remove: BulkAction = {
    label: 'Delete …',
    isDanger: true,
    said: (count) => `${counted(count)} deleted`,
    run: async () => ((await ask(chosen)) ? deleteAll(chosen) : undefined),
  }

  // They were deleted by others, or are shown no more.
  if (chosen.length === 0 && !asked) return null
  return (
    <>
      <BulkBar
        actions={chosen.length > mostAtOnce ? [] : [remove]}
        running={running}
        selection={selection}
        counted={
          chosen.length > mostAtOnce
            ? `At most ${counted(mostAtOnce)} can be deleted at once: ${chosen.length.toLocaleString('en')}`
            : counted(chosen.length)
        }
        matching={undefined}
      />
      <Confirm
        isOpen={asked !== undefined}
        title={`Delete ${counted(asked?.length ?? 0)}?`}
        {...deletionIn(effect)}
        onConfirm={() => answer.current?.(true)}
        onClose={() => answer.current?.(false)}
      >
        {asked && (
          <>
            <Named relationships={asked} />
            <DeletionEffect effect={effect} isOfList />
          </>
        )}
      </Confirm>
    </>
  )
}

/** More are counted in the title. */
const mostNamed = 5

/** Those that are asked about, where they are few. */
function Named({ relationships }: { relationships: Relationship[] }) {
  if (relationships.length > mostNamed) return null
  return (
    <ul className="grid gap-0.5 font-mono text-[12.5px] [overflow-wrap:anywhere] text-ink">
      {relationships.map(printRelationship).map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  )
}

/** All or none; what was there is what Undo puts back. */
async function deleteAll(relationships: Relationship[]): Promise<BulkResult> {
  const { deleted } = await call(deleteListedRelationships, { body: { relationships: relationships.map(nameOf) } })
  await changed()
  return { done: deleted.length, failed: [], undo: () => createRelationships(deleted) }
}
