import { RotateCw } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { compareLists, type Side } from './compare.ts'
import { LookupRow } from './LookupRow.tsx'
import { LookupRows } from './LookupRows.tsx'
import type { PartLabels } from './lookup-search.ts'
import { type Lookup, type LookupItem, type LookupItems, useLookupItems } from './use-lookup-items.ts'

/** One lookup, or two to compare. */
export interface Section {
  title: string
  left: Lookup
  right?: Lookup | undefined
}

interface LookupSectionProps extends Section {
  /** The names of a comparison's parts. */
  parts: PartLabels | undefined
  /** The only part to show, in a comparison. */
  side: Side | undefined
  /** Reports whether there are no results; the section is then hidden. */
  onEmpty?: ((title: string, isEmpty: boolean) => void) | undefined
}

/** The results of one lookup; the next page is read near the end. */
export function LookupSection({ title, left, right, parts, side, onEmpty }: LookupSectionProps) {
  const [leftItems, rightItems] = [useLookupItems(left), useLookupItems(right)]
  const { rows, needs } = useComparison(leftItems, rightItems)
  const shown = useMemo(() => (side && right ? rows.filter((row) => row.side === side) : rows), [rows, side, right])
  const keys = useMemo(() => shown.map(({ item }) => item.id), [shown])
  const [openIds, setOpenIds] = useState<ReadonlySet<string>>(new Set())
  const [isStopped, setStopped] = useState(false)
  const lists = [leftItems, rightItems]
  const isMore = needs.left || needs.right
  const isReading = lists.some(({ isLoadingMore }) => isLoadingMore)
  const failedList = lists.find(({ failure }) => failure)
  const isPending = lists.some((list) => list.isPending)
  const hasCycle = lists.some((list) => list.hasCycle)
  const isLoaded = !isPending && !failedList
  const isEmpty = isLoaded && !isMore && shown.length === 0 && !hasCycle && lists.every(({ leftOut }) => leftOut === 0)
  useEffect(() => onEmpty?.(title, isEmpty), [onEmpty, title, isEmpty])
  if (isEmpty && onEmpty) return null

  function loadMore() {
    if (needs.left) leftItems.loadMore()
    if (needs.right) rightItems.loadMore()
  }
  function stop(shouldStop: boolean) {
    setStopped(shouldStop)
    if (shouldStop) for (const list of lists) list.stop()
  }
  return (
    <section aria-label={title} className="rounded-box border border-line bg-card">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 px-5 py-3">
        <h3 className="font-mono text-[13.5px] font-[620] [overflow-wrap:anywhere]">{title}</h3>
        {isLoaded && <p className="text-ink2">{formatCount(shown, isMore)}</p>}
        {isLoaded && <VisitedCount lists={lists} />}
        {hasCycle && <CycleBadge />}
      </header>
      {isPending && !failedList && <Skeleton label={`Looking up ${title}`} rows={2} rowClass="h-9" />}
      <LookupRows
        keys={keys}
        hasMore={isMore}
        onNearEnd={isLoaded && isMore && !isReading && !isStopped ? loadMore : undefined}
        row={(index, tabIndex) => {
          const row = shown[index] as (typeof shown)[number]
          const { id } = row.item
          return (
            <LookupRow
              result={row.item}
              type={left.resultType}
              question={(row.side === 'right' && right ? right : left).toQuestion(id)}
              partLabel={right && parts && findPartLabel(row, parts)}
              otherResult={findDiffering(row)}
              otherLabel={parts?.other}
              isOpen={openIds.has(id)}
              onToggle={() => setOpenIds(toggleId(openIds, id))}
              tabIndex={tabIndex}
            />
          )
        }}
      />
      {isLoaded && !isMore && shown.length === 0 && (
        <p className="border-t border-line px-5 py-3 text-ink2">No results</p>
      )}
      {failedList?.failure && (
        <div className="px-5 pb-5">
          <ErrorCard failure={failedList.failure} onRetry={failedList.retry} />
        </div>
      )}
      {isLoaded && isMore && (
        <Progress count={shown.length} isReading={isReading} isStopped={isStopped} onStop={stop} />
      )}
    </section>
  )
}

function toggleId(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids)
  if (!next.delete(id)) next.add(id)
  return next
}

/** Memoizes the rows of both lists. */
function useComparison(
  { items: left, hasMore: hasMoreLeft }: LookupItems,
  { items: right, hasMore: hasMoreRight }: LookupItems,
) {
  return useMemo(
    () => compareLists({ items: left, hasMore: hasMoreLeft }, { items: right, hasMore: hasMoreRight }),
    [left, hasMoreLeft, right, hasMoreRight],
  )
}

/** Formats the number of results so far; without any, nothing is known yet. */
const formatCount = ({ length }: readonly unknown[], isMore: boolean) =>
  isMore ? length > 0 && `${length.toLocaleString('en')}+` : length.toLocaleString('en')

interface ProgressProps {
  count: number
  isReading: boolean
  isStopped: boolean
  onStop: (isStopped: boolean) => void
}

/** The progress of reading an unfinished list. */
function Progress({ count, isReading, isStopped, onStop }: ProgressProps) {
  const countText = `${count === 0 ? 'No results' : count.toLocaleString('en')} so far`
  return (
    <div className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-5 py-2 text-ink2">
      <p role="status">
        {isReading && `Loading: ${countText}`}
        {!isReading && (isStopped ? `Stopped: ${countText}` : `${countText}. Scroll to the end to load more.`)}
      </p>
      {isStopped && (
        <Button isSmall onClick={() => onStop(false)}>
          Resume
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

/** Returns the other list's result if it differs. */
const findDiffering = ({ item, other }: { item: LookupItem; other?: LookupItem }) =>
  other && JSON.stringify(toComparable(other)) !== JSON.stringify(toComparable(item)) ? other : undefined
const toComparable = ({ permissionship, partialCaveatMissing, excluded = [] }: LookupItem) => [
  permissionship,
  partialCaveatMissing,
  excluded.map(({ id, permissionship, partialCaveatMissing }) => [id, permissionship, partialCaveatMissing]),
]

/** Returns the name of the row's part in a comparison. */
export function findPartLabel(row: { side: Side; item: LookupItem; other?: LookupItem }, parts: PartLabels): string {
  if (row.side !== 'both') return parts[row.side]
  return findDiffering(row) ? parts.differing : parts.same
}

/** The work behind the newest page, and the number of unusable relationships. */
function VisitedCount({ lists }: { lists: LookupItems[] }) {
  const visited = lists.reduce((sum, list) => sum + (list.visited ?? 0), 0)
  const leftOut = lists.reduce((sum, list) => sum + list.leftOut, 0)
  return (
    <p className="ml-auto text-[13px] text-ink3">
      {lists.some((list) => list.visited !== undefined) &&
        `${visited.toLocaleString('en')} permissions and relations evaluated${lists.some((list) => list.hasSeveralPages) ? ' for the last page' : ''}`}
      {leftOut > 0 && ` · ${leftOut.toLocaleString('en')} stored relationships ignored (not allowed by the schema)`}
    </p>
  )
}

function CycleBadge() {
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 text-[13px] text-ink2">
      <span className="inline-flex items-center gap-1 text-warn">
        <RotateCw size={13} aria-hidden="true" />
        Cycle
      </span>
      Some usersets contain each other. Each was evaluated once.
    </span>
  )
}
