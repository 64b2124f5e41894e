import { ApiError } from '@passport/contract/call'
import type { Question } from '@passport/contract/permission-terms'
import { findClosestMiss, type Miss } from '@passport/contract/permissions'
import { printRelationship } from '@passport/permissions'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { query, toFailure } from '../app/api.ts'
import { reportFailure } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { focusOn } from '../permissions/keep-focus.ts'
import { RelationshipText } from '../permissions/RelationshipText.tsx'
import { isDirectoryType } from '../permissions/reference.ts'
import type { Permissionship } from '../permissions/Verdict.tsx'
import { extendWhatIf, type WhatIfState } from '../permissions/what-if.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { undoToast } from '../ui/undo-toast.ts'
import { storedQuery, writeChange } from './change.ts'

interface ClosestMissProps {
  question: Question
  /** The supposition of the answer; with one, changes are only supposed, not written. */
  whatIf: WhatIfState | undefined
  permissionship: Permissionship
  onChanged: () => unknown
}

const titles: Record<Permissionship, string> = {
  hasPermission: 'Changes that would deny it',
  noPermission: 'Changes that would allow it',
  conditional: 'Changes that would decide it',
}

/** The single relationships that would reverse the answer, nearest first; each can be written and undone. */
export function ClosestMiss({ question, whatIf, permissionship, onChanged }: ClosestMissProps) {
  const { resource, permission, subject, context } = question
  const misses = useQuery({
    ...query(findClosestMiss, {
      body: { resource, permission, subject, ...(context && { context }), ...(whatIf && { whatIf }) },
    }),
    // Another question has another card; for the same one, the previous list stays while loading.
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  })
  if (misses.error instanceof ApiError && misses.error.status === 501) return null
  return (
    <Card title={titles[permissionship]} description="Smallest changes that would flip the answer.">
      {misses.error && (
        <div className="px-5 pb-5">
          <ErrorCard failure={toFailure(misses.error)} onRetry={() => void misses.refetch()} />
        </div>
      )}
      {misses.isPending && <Skeleton label="Finding changes" rows={2} />}
      {misses.data && (
        <div aria-busy={misses.isFetching || undefined}>
          <Misses items={misses.data.items} hasWhatIf={whatIf !== undefined} onChanged={onChanged} />
        </div>
      )}
    </Card>
  )
}

interface MissesProps {
  items: Miss[]
  hasWhatIf: boolean
  onChanged: () => unknown
}

function Misses({ items, hasWhatIf, onChanged }: MissesProps) {
  const [confirming, setConfirming] = useState<Miss>()
  const list = useRef<HTMLDivElement>(null)

  async function undoAndRefresh(undo: () => Promise<unknown>) {
    await undo()
    // The toast disappears with its button, unless the focus has already moved on.
    if (!document.activeElement?.closest('main')) focusOn(list.current?.closest('section'))
    void onChanged()
  }

  const writing = useMutation({
    mutationFn: async (miss: Miss) => writeChange(miss, await queryClient.fetchQuery(storedQuery(miss.relationship))),
    onSuccess: (undo, { change, relationship }) => {
      const text = `${printRelationship(relationship)} ${change === 'add' ? 'added' : 'deleted'}`
      void undoToast(
        text,
        () => undoAndRefresh(undo),
        (error) => toFailure(error).detail,
      )
      void onChanged()
    },
    onError: (error) => reportFailure('save the change', error),
    onSettled: () => setConfirming(undefined),
  })

  const groups = outcomes.flatMap(({ permissionship, title }) => {
    const groupItems = items.filter((miss) => miss.permissionship === permissionship)
    return groupItems.length > 0 ? [{ title, led: groupItems }] : []
  })
  return (
    <div ref={list}>
      {items.length === 0 && <p className="px-5 pb-5 text-ink2">No single change would flip the answer.</p>}
      {groups.map(({ title, led: groupItems }) => (
        <MissGroup
          key={title}
          title={title}
          items={groupItems}
          initialCount={groups.length > 1 ? 3 : 5}
          onWrite={hasWhatIf ? undefined : setConfirming}
        />
      ))}
      <ConfirmMiss
        miss={confirming}
        isBusy={writing.isPending}
        onConfirm={writing.mutate}
        onClose={() => setConfirming(undefined)}
      />
    </div>
  )
}

/** The outcomes of changes, in display order. */
const outcomes: { permissionship: Permissionship; title: string }[] = [
  { permissionship: 'hasPermission', title: 'Would be allowed' },
  { permissionship: 'noPermission', title: 'Would be denied' },
  { permissionship: 'conditional', title: 'Would depend on context' },
]

interface MissGroupProps {
  title: string
  items: Miss[]
  /** The number shown at first. */
  initialCount: number
  onWrite: ((miss: Miss) => void) | undefined
}

function MissGroup({ title, items, initialCount, onWrite }: MissGroupProps) {
  const [isExpanded, setExpanded] = useState(false)
  const shown = isExpanded ? items : items.slice(0, initialCount)
  return (
    <section aria-label={title} className="border-t border-line">
      <h3 className="px-5 pt-3 text-[13px] font-[620] text-ink2">{title}</h3>
      <ul className="px-5 pb-1">
        {shown.map((miss) => (
          <MissRow key={`${miss.change} ${printRelationship(miss.relationship)}`} miss={miss} onWrite={onWrite} />
        ))}
      </ul>
      {shown.length < items.length && (
        <div className="px-5 pb-3">
          <Button isSmall onClick={() => setExpanded(true)}>
            Show {items.length - shown.length} more
          </Button>
        </div>
      )}
    </section>
  )
}

interface MissRowProps {
  miss: Miss
  /** Asks for confirmation before writing; absent if the change can only be supposed. */
  onWrite: ((miss: Miss) => void) | undefined
}

/** One relationship that would reverse the answer, to be supposed or written. */
function MissRow({ miss, onWrite }: MissRowProps) {
  const { change, relationship, partialCaveatMissing: missing } = miss
  const isAdded = change === 'add'
  const isManaged = isDirectoryType(relationship.resource.type)
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1.5 border-t border-line py-2.5 first:border-t-0">
      <p className="min-w-0 flex-1 basis-64">
        <span className="mr-2 font-[560]">{isAdded ? 'Add' : 'Delete'}</span>
        <RelationshipText relationship={relationship} isNew={isAdded} />
        {missing.length > 0 && (
          <span className="ml-2 text-[13px] text-warn">
            needs <code className="font-mono text-[12.5px] [overflow-wrap:anywhere]">{missing.join(', ')}</code>
          </span>
        )}
      </p>
      <div className="flex flex-wrap items-center gap-2">
        <Button
          isSmall
          variant="ghost"
          aria-label={`Try ${isAdded ? '' : 'without '}${printRelationship(relationship)}`}
          onClick={() => extendWhatIf(isAdded ? { add: [relationship] } : { remove: [relationship] })}
        >
          Try
        </Button>
        {onWrite && isManaged && <span className="text-[13px] text-ink3">Managed by the directory</span>}
        {onWrite && !isManaged && (
          <Button
            isSmall
            variant={isAdded ? 'plain' : 'danger'}
            aria-label={`${isAdded ? 'Add' : 'Delete'} ${printRelationship(relationship)}`}
            onClick={() => onWrite(miss)}
          >
            {isAdded ? 'Add' : 'Delete'}
          </Button>
        )}
      </div>
    </li>
  )
}

interface ConfirmMissProps {
  /** The change to confirm; undefined if none. */
  miss: Miss | undefined
  isBusy: boolean
  onConfirm: (miss: Miss) => void
  onClose: () => void
}

/** Asks before writing a relationship that would reverse an answer. */
function ConfirmMiss({ miss, isBusy, onConfirm, onClose }: ConfirmMissProps) {
  return (
    <Confirm
      isOpen={miss !== undefined}
      title={miss?.change === 'remove' ? 'Delete this relationship?' : 'Add this relationship?'}
      action={miss?.change === 'remove' ? 'Delete relationship' : 'Add relationship'}
      variant={miss?.change === 'remove' ? 'danger' : 'primary'}
      isBusy={isBusy}
      onConfirm={() => miss && onConfirm(miss)}
      onClose={onClose}
    >
      {miss && (
        <>
          <p>
            <RelationshipText relationship={miss.relationship} isNew />
          </p>
          {miss.change === 'add' && <Replaced relationship={miss.relationship} />}
          <p className="mt-2">Takes effect immediately for all permission checks. You can undo it.</p>
        </>
      )}
    </Confirm>
  )
}

/** Shows the existing relationship with another condition or expiry, which an addition replaces. */
function Replaced({ relationship }: { relationship: Miss['relationship'] }) {
  const { data } = useQuery(storedQuery(relationship))
  if (!data) return null
  return (
    <p className="mt-2">
      Replaces <RelationshipText relationship={data} isNew />.
    </p>
  )
}
