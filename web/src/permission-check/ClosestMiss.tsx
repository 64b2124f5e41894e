import { findClosestMiss, type Miss } from '@passport/contract/permissions'
import { printRelationship } from '@passport/permissions'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { Minus, Plus } from 'lucide-react'
import { useRef, useState } from 'react'
import { query, toFailure } from '../app/api.ts'
import { reportFailure, reportWithUndo } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import type { CheckQuestion } from '../permissions/check-search.ts'
import { focusElement } from '../permissions/keep-focus.ts'
import { ObjectLabel } from '../permissions/ObjectName.tsx'
import { RelationshipText } from '../permissions/RelationshipText.tsx'
import { describeUserset, isDirectoryType } from '../permissions/reference.ts'
import { isUnsupported } from '../permissions/unsupported.ts'
import type { Permissionship } from '../permissions/Verdict.tsx'
import { extendWhatIf } from '../permissions/what-if.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { SideEffect } from './SideEffect.tsx'
import { storedRelationshipQuery, writeChange } from './write-change.ts'

interface ClosestMissProps {
  question: CheckQuestion
  permissionship: Permissionship
  onChanged: () => unknown
}

const titles: Record<Permissionship, string> = {
  hasPermission: 'What would deny it',
  noPermission: 'What would allow it',
  conditional: 'What would decide it',
}

/** The single relationships that would change the answer, nearest first; each can be tried, or written and undone. */
export function ClosestMiss({ question, permissionship, onChanged }: ClosestMissProps) {
  const { consistency: _, ...body } = question
  const misses = useQuery({
    ...query(findClosestMiss, { body }),
    // Another question has another card. For the same one, the previous list stays while loading.
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  })
  if (isUnsupported(misses.error)) return null
  return (
    <Card
      title={titles[permissionship]}
      action={<span className="text-[13px] text-ink3">Smallest changes, closest first</span>}
    >
      {misses.error && (
        <div className="px-5 pb-5">
          <ErrorCard failure={toFailure(misses.error)} onRetry={() => void misses.refetch()} />
        </div>
      )}
      {misses.isPending && <Skeleton label="Finding changes" rows={2} />}
      {misses.data && (
        <div aria-busy={misses.isFetching || undefined}>
          <Misses items={misses.data.items} question={question} onChanged={onChanged} />
        </div>
      )}
    </Card>
  )
}

interface MissesProps {
  items: Miss[]
  question: CheckQuestion
  onChanged: () => unknown
}

/** The changes by their outcome. With what-if changes applied, further ones can only be tried, not written. */
function Misses({ items, question, onChanged }: MissesProps) {
  const [confirming, setConfirming] = useState<Miss>()
  const list = useRef<HTMLDivElement>(null)

  async function undoAndRefresh(undo: () => Promise<unknown>) {
    await undo()
    // The toast disappears with its button, unless the focus has already moved on.
    if (!document.activeElement?.closest('main')) focusElement(list.current?.closest('section'))
    void onChanged()
  }

  const writing = useMutation({
    mutationFn: async (miss: Miss) =>
      writeChange(miss, await queryClient.fetchQuery(storedRelationshipQuery(miss.relationship))),
    onSuccess: (undo, { change, relationship }) => {
      const text = `${printRelationship(relationship)} ${change === 'add' ? 'added' : 'deleted'}`
      reportWithUndo(text, () => undoAndRefresh(undo))
      void onChanged()
    },
    onError: (error) => reportFailure('save the change', error),
    onSettled: () => setConfirming(undefined),
  })

  const groups = outcomes.flatMap(({ permissionship, title }) => {
    const groupItems = items.filter((miss) => miss.permissionship === permissionship)
    return groupItems.length > 0 ? [{ title, items: groupItems }] : []
  })
  return (
    <div ref={list}>
      {items.length === 0 && <p className="px-5 pb-5 text-ink2">No single change would flip the answer.</p>}
      {groups.map((group) => (
        <MissGroup
          key={group.title}
          {...group}
          hasTitle={groups.length > 1}
          question={question}
          onWrite={question.whatIf ? undefined : setConfirming}
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

interface MissGroupProps extends Pick<MissesProps, 'items' | 'question'> {
  title: string
  /** Whether the title is shown: there are other groups. */
  hasTitle: boolean
  onWrite: ((miss: Miss) => void) | undefined
}

function MissGroup({ title, items, hasTitle, question, onWrite }: MissGroupProps) {
  const [isExpanded, setExpanded] = useState(false)
  const shown = isExpanded ? items : items.slice(0, hasTitle ? 3 : 5)
  return (
    <section aria-label={title} className={hasTitle ? 'border-t border-line' : ''}>
      {hasTitle && <h3 className="px-4 pt-3 text-[13px] font-[620] text-ink2 sm:px-[18px]">{title}</h3>}
      <ul>
        {shown.map((miss) => (
          <MissRow
            key={`${miss.change} ${printRelationship(miss.relationship)}`}
            miss={miss}
            question={question}
            onWrite={onWrite}
          />
        ))}
      </ul>
      {shown.length < items.length && (
        <div className="border-t border-hair px-4 py-2 sm:px-[18px]">
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
  question: CheckQuestion
  /** Opens the confirmation of the change; absent if it can only be tried. */
  onWrite: ((miss: Miss) => void) | undefined
}

/** One relationship that would change the answer, with its side effects. */
function MissRow({ miss, question, onWrite }: MissRowProps) {
  const { change, relationship, partialCaveatMissing: missing } = miss
  const isAdded = change === 'add'
  const isManaged = isDirectoryType(relationship.resource.type)
  const Sign = isAdded ? Plus : Minus
  return (
    <li className="flex items-center gap-x-3 border-t border-hair px-4 py-2 first:border-t-0 sm:px-[18px]">
      <Sign size={16} aria-hidden="true" className={`shrink-0 ${isAdded ? 'text-ok' : 'text-bad'}`} />
      <div className="min-w-0 flex-1 leading-snug">
        <p title={printRelationship(relationship)}>
          <MissSentence isAdded={isAdded} relationship={relationship} />
          {relationship.caveat && <span className="text-ink2"> if {relationship.caveat.name}</span>}
        </p>
        {missing.length > 0 && (
          <p className="text-[13px] text-warn">
            needs <code className="font-mono text-[12.5px] [overflow-wrap:anywhere]">{missing.join(', ')}</code>
          </p>
        )}
        <p className="min-h-[19px] text-[13px] text-ink2">
          <SideEffect miss={miss} question={question} />
        </p>
      </div>
      <div className="flex shrink-0 flex-wrap items-center justify-end gap-1">
        <Button
          isSmall
          aria-label={`Try ${isAdded ? '' : 'without '}${printRelationship(relationship)}`}
          onClick={() => extendWhatIf(isAdded ? { add: [relationship] } : { remove: [relationship] })}
        >
          Try
        </Button>
        {onWrite && isManaged && (
          <span className="max-w-24 text-[12px] leading-tight text-ink3">Managed by the directory</span>
        )}
        {onWrite && !isManaged && (
          <Button
            isSmall
            variant={isAdded ? 'ghost' : 'danger'}
            className={isAdded ? '' : 'border-transparent! bg-transparent!'}
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

/** “Add Eve Moreau as viewer of rules”, “Remove members of Staff as viewer of rules” or “Ban Eve Moreau from rules”. */
function MissSentence({ isAdded, relationship }: { isAdded: boolean; relationship: Miss['relationship'] }) {
  const { subject, relation, resource } = relationship
  const isBan = relation === 'banned'
  const verb = isBan ? (isAdded ? 'Ban' : 'Unban') : isAdded ? 'Add' : 'Remove'
  return (
    <>
      {verb} {subject.relation && `${describeUserset(subject.relation)} `}
      <ObjectLabel object={subject} /> {isBan ? 'from' : `as ${relation} of`} <ObjectLabel object={resource} />
    </>
  )
}

interface ConfirmMissProps {
  /** The change to confirm; undefined if none. */
  miss: Miss | undefined
  isBusy: boolean
  onConfirm: (miss: Miss) => void
  onClose: () => void
}

/** The confirmation of an added or deleted relationship. */
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

/** The stored relationship with another condition or expiry that an addition replaces, if any. */
function Replaced({ relationship }: { relationship: Miss['relationship'] }) {
  const { data } = useQuery(storedRelationshipQuery(relationship))
  if (!data) return null
  return (
    <p className="mt-2">
      Replaces <RelationshipText relationship={data} isNew />.
    </p>
  )
}
