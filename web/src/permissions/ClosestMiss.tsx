import { ApiError } from '@passport/contract/call'
import type { Question } from '@passport/contract/permission-terms'
import { findClosestMiss, type Miss } from '@passport/contract/permissions'
import { printRelationship } from '@passport/permissions'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { query, toFailure } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { toast } from '../ui/toast.ts'
import { undoToast } from '../ui/undo-toast.ts'
import { ConfirmMiss } from './ConfirmMiss.tsx'
import { storedQuery, writeChange } from './change.ts'
import { focusOn } from './keep-focus.ts'
import { MissRow } from './MissRow.tsx'
import type { Permissionship } from './Verdict.tsx'
import type { WhatIfState } from './what-if.ts'

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
  const [isBusy, setBusy] = useState(false)
  const list = useRef<HTMLDivElement>(null)

  async function undoAndRefresh(undo: () => Promise<unknown>) {
    await undo()
    // The toast disappears with its button, unless the focus has already moved on.
    if (!document.activeElement?.closest('main')) focusOn(list.current?.closest('section'))
    void onChanged()
  }

  async function write(miss: Miss) {
    setBusy(true)
    try {
      const undo = await writeChange(miss, await queryClient.fetchQuery(storedQuery(miss.relationship)))
      const text = printRelationship(miss.relationship)
      void undoToast(
        miss.change === 'add' ? `${text} added` : `${text} deleted`,
        () => undoAndRefresh(undo),
        (error) => toFailure(error).detail,
      )
      void onChanged()
    } catch (error) {
      void toast({ type: 'error', content: `Couldn't save the change: ${toFailure(error).detail}` })
    }
    setBusy(false)
    setConfirming(undefined)
  }

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
        isBusy={isBusy}
        onConfirm={(miss) => void write(miss)}
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
