import { ApiError } from '@passport/contract/call'
import type { Question } from '@passport/contract/permission-terms'
import { findClosestMiss, type Miss } from '@passport/contract/permissions'
import { printRelationship } from '@passport/permissions/relationship-text'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { failureOf, query } from '../app/api.ts'
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
import type { Supposition } from './supposition.ts'
import type { Permissionship } from './Verdict.tsx'

interface ClosestMissProps {
  question: Question
  /** What the question was answered under: then nothing is written, only supposed as well. */
  whatIf: Supposition | undefined
  permissionship: Permissionship
  onChanged: () => unknown
}

const titles: Record<Permissionship, string> = {
  hasPermission: 'What would take it away',
  noPermission: 'What would grant it',
  conditional: 'What would settle it',
}

/** The single relationships that would turn the answer round, nearest first; each can be written, and taken back. */
export function ClosestMiss({ question, whatIf, permissionship, onChanged }: ClosestMissProps) {
  const { resource, permission, subject, context } = question
  const misses = useQuery({
    ...query(findClosestMiss, {
      body: { resource, permission, subject, ...(context && { context }), ...(whatIf && { whatIf }) },
    }),
    // Of another question the card is another; of the same the former list stays until the next is there.
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  })
  if (misses.error instanceof ApiError && misses.error.status === 501) return null
  return (
    <Card
      title={titles[permissionship]}
      about="The smallest change that turns the answer round: one relationship, nearest first."
    >
      {misses.error && (
        <div className="px-5 pb-5">
          <ErrorCard failure={failureOf(misses.error)} onRetry={() => void misses.refetch()} />
        </div>
      )}
      {misses.isPending && <Skeleton label="Looking for the closest miss" rows={2} />}
      {misses.data && (
        <div aria-busy={misses.isFetching || undefined}>
          <Misses items={misses.data.items} isSupposed={whatIf !== undefined} onChanged={onChanged} />
        </div>
      )}
    </Card>
  )
}

interface MissesProps {
  items: Miss[]
  isSupposed: boolean
  onChanged: () => unknown
}

function Misses({ items, isSupposed, onChanged }: MissesProps) {
  const [asked, setAsked] = useState<Miss>()
  const [isBusy, setBusy] = useState(false)
  const list = useRef<HTMLDivElement>(null)

  async function takeBack(undo: () => Promise<unknown>) {
    await undo()
    // The message goes away with its button, unless the focus has gone on already.
    if (!document.activeElement?.closest('main')) focusOn(list.current?.closest('section'))
    void onChanged()
  }

  async function write(miss: Miss) {
    setBusy(true)
    try {
      const undo = await writeChange(miss, await queryClient.fetchQuery(storedQuery(miss.relationship)))
      const text = printRelationship(miss.relationship)
      void undoToast(
        miss.change === 'add' ? `Added ${text}` : `Removed ${text}`,
        () => takeBack(undo),
        (error) => failureOf(error).detail,
      )
      void onChanged()
    } catch (error) {
      void toast({ type: 'error', content: `Not written: ${failureOf(error).detail}` })
    }
    setBusy(false)
    setAsked(undefined)
  }

  const groups = outcomes.flatMap(({ permissionship, title }) => {
    const led = items.filter((miss) => miss.permissionship === permissionship)
    return led.length > 0 ? [{ title, led }] : []
  })
  return (
    <div ref={list}>
      {items.length === 0 && <p className="px-5 pb-5 text-ink2">No single relationship would.</p>}
      {groups.map(({ title, led }) => (
        <MissGroup
          key={title}
          title={title}
          items={led}
          atFirst={groups.length > 1 ? 3 : 5}
          onAsk={isSupposed ? undefined : setAsked}
        />
      ))}
      <ConfirmMiss
        miss={asked}
        isBusy={isBusy}
        onConfirm={(miss) => void write(miss)}
        onClose={() => setAsked(undefined)}
      />
    </div>
  )
}

/** What a change leads to, in the order in which it is told. */
const outcomes: { permissionship: Permissionship; title: string }[] = [
  { permissionship: 'hasPermission', title: 'Then allowed' },
  { permissionship: 'noPermission', title: 'Then denied' },
  { permissionship: 'conditional', title: 'Then it depends' },
]

interface MissGroupProps {
  title: string
  items: Miss[]
  /** So many are shown until more are wanted. */
  atFirst: number
  onAsk: ((miss: Miss) => void) | undefined
}

function MissGroup({ title, items, atFirst, onAsk }: MissGroupProps) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? items : items.slice(0, atFirst)
  return (
    <section aria-label={title} className="border-t border-line">
      <h3 className="px-5 pt-3 text-[13px] font-[620] text-ink2">{title}</h3>
      <ul className="px-5 pb-1">
        {shown.map((miss) => (
          <MissRow key={`${miss.change} ${printRelationship(miss.relationship)}`} miss={miss} onAsk={onAsk} />
        ))}
      </ul>
      {shown.length < items.length && (
        <div className="px-5 pb-3">
          <Button isSmall onClick={() => setWhole(true)}>
            Show {items.length - shown.length} more
          </Button>
        </div>
      )}
    </section>
  )
}
