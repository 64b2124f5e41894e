import { ApiError } from '@passport/contract/call'
import type { Question } from '@passport/contract/permission-terms'
import { findClosestMiss, type Miss } from '@passport/contract/permissions'
import { printRelationship } from '@passport/permissions/relationship-text'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { failureOf, query } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { toast } from '../ui/toast.ts'
import { undoToast } from '../ui/undo-toast.ts'
import { storedQuery, writeChange } from './change.ts'
import { RelationshipText } from './RelationshipText.tsx'
import { isOfDirectory } from './schema.ts'
import { type Supposition, supposeToo } from './supposition.ts'
import { type Permissionship, Verdict } from './Verdict.tsx'

interface ClosestMissProps {
  question: Question
  /** What the question was answered under: then nothing is written, only supposed as well. */
  whatIf: Supposition | undefined
  permissionship: Permissionship
  onChanged: () => void
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
        <Misses
          items={misses.data.items}
          isSupposed={whatIf !== undefined}
          onChanged={() => {
            void misses.refetch()
            onChanged()
          }}
        />
      )}
    </Card>
  )
}

function Misses({ items, isSupposed, onChanged }: { items: Miss[]; isSupposed: boolean; onChanged: () => void }) {
  const [asked, setAsked] = useState<Miss>()
  const [isBusy, setBusy] = useState(false)
  if (items.length === 0) return <p className="px-5 pb-5 text-ink2">No single relationship would.</p>

  async function write(miss: Miss) {
    setBusy(true)
    try {
      const undo = await writeChange(miss, await queryClient.fetchQuery(storedQuery(miss.relationship)))
      const text = printRelationship(miss.relationship)
      void undoToast(
        miss.change === 'add' ? `Added ${text}` : `Removed ${text}`,
        () => undo().then(onChanged),
        (error) => failureOf(error).detail,
      )
      onChanged()
    } catch (error) {
      void toast({ type: 'error', content: `Not written: ${failureOf(error).detail}` })
    }
    setBusy(false)
    setAsked(undefined)
  }

  return (
    <>
      <ul className="px-5 pb-2">
        {items.map((miss) => (
          <MissRow
            key={`${miss.change} ${printRelationship(miss.relationship)}`}
            miss={miss}
            {...(!isSupposed && { onAsk: setAsked })}
          />
        ))}
      </ul>
      <Confirm
        isOpen={asked !== undefined}
        title={asked?.change === 'remove' ? 'Remove this relationship?' : 'Add this relationship?'}
        action={asked?.change === 'remove' ? 'Remove it' : 'Add it'}
        look={asked?.change === 'remove' ? 'danger' : 'primary'}
        isBusy={isBusy}
        onConfirm={() => asked && void write(asked)}
        onClose={() => setAsked(undefined)}
      >
        {asked && (
          <>
            <p>
              <RelationshipText relationship={asked.relationship} isNew />
            </p>
            {asked.change === 'add' && <Replaced relationship={asked.relationship} />}
            <p className="mt-2">It counts at once, for every question that it has a part in. It can be undone.</p>
          </>
        )}
      </Confirm>
    </>
  )
}

/** What is there already under another condition, or until another time: an addition takes its place. */
function Replaced({ relationship }: { relationship: Miss['relationship'] }) {
  const { data } = useQuery(storedQuery(relationship))
  if (!data) return null
  return (
    <p className="mt-2">
      It takes the place of <RelationshipText relationship={data} isNew />.
    </p>
  )
}

function MissRow({ miss, onAsk }: { miss: Miss; onAsk?: (miss: Miss) => void }) {
  const { change, relationship, permissionship, partialCaveatMissing } = miss
  const isAdded = change === 'add'
  const isKept = isOfDirectory(relationship.resource.type)
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line py-3">
      <div className="min-w-0 flex-1 basis-64">
        <p>
          <span className="mr-2 font-[560]">{isAdded ? 'Add' : 'Remove'}</span>
          <RelationshipText relationship={relationship} isNew={isAdded} />
        </p>
        <p className="mt-0.5 flex flex-wrap items-baseline gap-x-2 text-[13px] text-ink2">
          Then: <Verdict permissionship={permissionship} missing={partialCaveatMissing} />
        </p>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <Button
          isSmall
          look="ghost"
          aria-label={`Suppose ${isAdded ? '' : 'without '}${printRelationship(relationship)}`}
          onClick={() => supposeToo(isAdded ? { add: [relationship] } : { remove: [relationship] })}
        >
          Suppose
        </Button>
        {onAsk && isKept && <span className="text-[13px] text-ink3">Kept by the directory, and changed there.</span>}
        {onAsk && !isKept && (
          <Button
            isSmall
            look={isAdded ? 'plain' : 'danger'}
            aria-label={`${isAdded ? 'Add' : 'Remove'} ${printRelationship(relationship)}`}
            onClick={() => onAsk(miss)}
          >
            {isAdded ? 'Add' : 'Remove'}
          </Button>
        )}
      </div>
    </li>
  )
}
