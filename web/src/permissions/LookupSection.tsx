import { RotateCw } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { compareLists, type Side } from './compare.ts'
import { LookupRow } from './LookupRow.tsx'
import { LookupRows } from './LookupRows.tsx'
import type { Parts } from './lookup-search.ts'
import { type Found, type FoundList, type Lookup, useFound } from './use-found.ts'

/** One lookup, or two to be compared, and what the two are called. */
export interface Section {
  title: string
  left: Lookup
  right?: Lookup | undefined
}

interface LookupSectionProps extends Section {
  /** What the parts of a comparison are called. */
  parts: Parts | undefined
  /** Shown alone, where two are compared. */
  side: Side | undefined
  /** Is told whether nothing was found at all; then the section is not shown. */
  onEmpty?: ((title: string, isEmpty: boolean) => void) | undefined
}

/** What one lookup found; its end is read as somebody scrolls there. */
export function LookupSection({ title, left, right, parts, side, onEmpty }: LookupSectionProps) {
  const [ofLeft, ofRight] = [useFound(left), useFound(right)]
  const { rows, needs } = useCompared(ofLeft, ofRight)
  const shown = useMemo(() => (side && right ? rows.filter((row) => row.side === side) : rows), [rows, side, right])
  const keys = useMemo(() => shown.map(({ item }) => item.id), [shown])
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const [isStopped, setStopped] = useState(false)
  const lists = [ofLeft, ofRight]
  const isMore = needs.left || needs.right
  const isReading = lists.some(({ isLoadingMore }) => isLoadingMore)
  const failed = lists.find(({ failure }) => failure)
  const isPending = lists.some((one) => one.isPending)
  const hasCycle = lists.some((one) => one.hasCycle)
  const isKnown = !isPending && !failed
  const isEmpty = isKnown && !isMore && shown.length === 0 && !hasCycle && lists.every(({ leftOut }) => leftOut === 0)
  useEffect(() => onEmpty?.(title, isEmpty), [onEmpty, title, isEmpty])
  if (isEmpty && onEmpty) return null

  function readOn() {
    if (needs.left) ofLeft.more()
    if (needs.right) ofRight.more()
  }
  function stop(isNow: boolean) {
    setStopped(isNow)
    if (isNow) for (const one of lists) one.stop()
  }
  return (
    <section aria-label={title} className="rounded-box border border-line bg-card">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 px-5 py-3">
        <h3 className="font-mono text-[13.5px] font-[620] [overflow-wrap:anywhere]">{title}</h3>
        {isKnown && <p className="text-ink2">{countOf(shown, isMore)}</p>}
        {isKnown && <LookedAt lists={lists} />}
        {hasCycle && <CycleBadge />}
      </header>
      {isPending && !failed && <Skeleton label={`Looking up ${title}`} rows={2} rowClass="h-9" />}
      <LookupRows
        keys={keys}
        isMore={isMore}
        onNearEnd={isKnown && isMore && !isReading && !isStopped ? readOn : undefined}
        row={(index, tabIndex) => {
          const row = shown[index] as (typeof shown)[number]
          const { id } = row.item
          return (
            <LookupRow
              found={row.item}
              of={left.found}
              question={(row.side === 'right' && right ? right : left).questionOf(id)}
              part={right && parts && partOf(row, parts)}
              before={beforeOf(row)}
              other={parts?.other}
              isOpen={opened.has(id)}
              onToggle={() => setOpened(toggled(opened, id))}
              tabIndex={tabIndex}
            />
          )
        }}
      />
      {isKnown && !isMore && shown.length === 0 && <p className="border-t border-line px-5 py-3 text-ink2">Nothing.</p>}
      {failed?.failure && (
        <div className="px-5 pb-5">
          <ErrorCard failure={failed.failure} onRetry={failed.retry} />
        </div>
      )}
      {isKnown && isMore && <Progress count={shown.length} isReading={isReading} isStopped={isStopped} onStop={stop} />}
    </section>
  )
}

function toggled(all: ReadonlySet<string>, one: string): ReadonlySet<string> {
  const others = new Set(all)
  if (!others.delete(one)) others.add(one)
  return others
}

/** The rows of both, worked out anew only where there are others. */
function useCompared({ items: left, isMore: isMoreLeft }: FoundList, { items: right, isMore: isMoreRight }: FoundList) {
  return useMemo(
    () => compareLists({ items: left, isMore: isMoreLeft }, { items: right, isMore: isMoreRight }),
    [left, isMoreLeft, right, isMoreRight],
  )
}

/** How many there are at least; of none so far nothing can be said. */
const countOf = ({ length }: readonly unknown[], isMore: boolean) =>
  isMore ? length > 0 && `${length.toLocaleString('en')}+` : length.toLocaleString('en')

interface ProgressProps {
  count: number
  isReading: boolean
  isStopped: boolean
  onStop: (isStopped: boolean) => void
}

/** How far a list that goes on has been read. */
function Progress({ count, isReading, isStopped, onStop }: ProgressProps) {
  const soFar = `${count === 0 ? 'None' : count.toLocaleString('en')} so far`
  return (
    <div className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-5 py-2 text-ink2">
      <p role="status">
        {isReading && `Reading on: ${soFar}.`}
        {!isReading && (isStopped ? `Stopped: ${soFar}.` : `${soFar}; more is read as you scroll to the end.`)}
      </p>
      {isStopped && (
        <Button isSmall onClick={() => onStop(false)}>
          Read on
        </Button>
      )}
      {isReading && !isStopped && (
        <Button isSmall onClick={() => onStop(true)}>
          Stop
        </Button>
      )}
    </div>
  )
}

/** What the other list says of the same, where it says something else. */
const beforeOf = ({ item, other }: { item: Found; other?: Found }) =>
  other && JSON.stringify(verdictOf(other)) !== JSON.stringify(verdictOf(item)) ? other : undefined
const verdictOf = ({ permissionship, partialCaveatMissing, excluded = [] }: Found) => [
  permissionship,
  partialCaveatMissing,
  excluded.map(({ id, permissionship, partialCaveatMissing }) => [id, permissionship, partialCaveatMissing]),
]

/** Which part of a comparison a row belongs to, as it is called. */
export function partOf(row: { side: Side; item: Found; other?: Found }, parts: Parts): string {
  if (row.side !== 'both') return parts[row.side]
  return beforeOf(row) ? parts.differing : parts.same
}

/** How much work the newest page was, and what it could not use. */
function LookedAt({ lists }: { lists: FoundList[] }) {
  const visited = lists.reduce((sum, one) => sum + (one.visited ?? 0), 0)
  const leftOut = lists.reduce((sum, one) => sum + one.leftOut, 0)
  return (
    <p className="ml-auto text-[13px] text-ink3">
      {lists.some((one) => one.visited !== undefined) &&
        `${visited.toLocaleString('en')} permissions and relations looked at${lists.some((one) => one.hasSeveralPages) ? ' for the newest page' : ''}`}
      {leftOut > 0 && ` · ${leftOut.toLocaleString('en')} stored relationships do not fit the schema`}
    </p>
  )
}

function CycleBadge() {
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 text-[13px] text-ink2">
      <span className="inline-flex items-center gap-1 text-warn">
        <RotateCw size={13} aria-hidden="true" />
        Goes in a circle
      </span>
      Sets on the way contain each other; each was walked once.
    </span>
  )
}
