import { useInfiniteQuery } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { toFailure } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { objectKindOf } from '../permissions/object-kind.ts'
import { describeType } from '../permissions/reference.ts'
import { Button } from '../ui/Button.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { type PartLabels, printSubjectType, type Side } from './lookup-search.ts'
import { listLookups, listPages, mergePages, type ResultTable, tableQuery } from './lookups.ts'
import { isSingle, MatrixRows } from './MatrixRows.tsx'
import { toMatrixRows } from './matrix.ts'

/** What a table has, in numbers. */
export interface Totals {
  isEmpty: boolean
  /** The number of loaded results, without the wildcard. */
  count: number
  hasMore: boolean
  hasWildcard: boolean
  /** The number of subjects that are excluded from the wildcard. */
  exceptionCount: number
  hasConditional: boolean
}

interface LookupTableProps {
  table: ResultTable
  /** The labels of a comparison. */
  parts?: PartLabels | undefined
  /** In a comparison, the side to show; undefined for all. */
  side?: Side | undefined
  /** The number of columns for permissions, so that tables of a page have the same ones. */
  columnCount: number
  /** Called after the first page; an empty table is then not rendered, so the caller names its type. */
  onLoaded?: (type: string, totals: Totals) => void
  /** The number of rows that are shown at first; all by default, unless the first one is everyone. */
  maxRows?: number
}

/** The rows that are shown at first if everyone is the first of them. */
const maxBesideEveryone = 6

/** The results of one type by permission. Further pages are loaded near the end. */
export function LookupTable({ table, parts, side, columnCount, onLoaded, maxRows }: LookupTableProps) {
  const key = printSubjectType(table.resultType)
  const title = describeType(table.resultType)
  const options = tableQuery(table)
  const { data, error, hasNextPage, isFetchingNextPage, isPending, refetch, fetchNextPage } = useInfiniteQuery(options)
  const steps = data?.pages
  const lookupCount = listLookups(table).length
  const lists = useMemo(() => listPages(lookupCount, steps ?? []), [lookupCount, steps])
  const rows = useMemo(() => toMatrixRows(table, mergePages(lists).rows, side), [table, lists, side])
  const [isStopped, setStopped] = useState(false)
  const failures = [...new Set(lists.flatMap(({ failure }) => (failure ? [failure.error] : [])))]
  const hasCycle = lists.some(({ pages }) => pages.some((page) => page.hasCycle))
  const leftOut = Math.max(0, ...lists.map(({ pages }) => pages[0]?.leftOut ?? 0))
  const hasNothing = !isPending && !error && !hasNextPage && rows.length === 0 && failures.length === 0
  const count = rows.filter(({ id }) => id !== '*').length
  const everyone = rows.find(({ id }) => id === '*')
  const hasWildcard = everyone !== undefined
  const exceptionCount = Math.max(0, ...(everyone?.cells ?? []).map((cell) => cell?.left?.excluded?.length ?? 0))
  const [isLong, setLong] = useState(false)
  const shownCount = maxRows ?? (hasWildcard ? maxBesideEveryone : rows.length)
  const isCut = !isLong && rows.length > shownCount
  const hasConditional = rows.some(({ cells }) =>
    cells.some((cell) => [cell?.left, cell?.right].some((item) => item?.permissionship === 'conditional')),
  )
  const isEmpty = hasNothing && !hasCycle && leftOut === 0
  useEffect(() => {
    if (!isPending)
      onLoaded?.(key, { isEmpty, count, hasMore: hasNextPage, hasWildcard, exceptionCount, hasConditional })
  }, [onLoaded, key, isPending, isEmpty, count, hasNextPage, hasWildcard, exceptionCount, hasConditional])
  if (isEmpty && onLoaded) return null

  function stop(shouldStop: boolean) {
    setStopped(shouldStop)
    if (shouldStop) void queryClient.cancelQueries({ queryKey: options.queryKey, exact: true })
  }
  const loadMore = () => void fetchNextPage({ cancelRefetch: false })
  const countText = count.toLocaleString('en')
  return (
    <section aria-label={title} className="overflow-clip card">
      <header className="flex min-h-11 flex-wrap items-center gap-x-2.5 gap-y-1 px-4 py-2 sm:px-[18px]">
        <ObjectIcon kind={objectKindOf(table.resultType.type)} size={22} />
        <h3 className="font-[620] [overflow-wrap:anywhere]">{title}</h3>
        {isSingle(table, parts) && (
          <span aria-hidden="true" className="font-mono text-[12.5px] text-ink2 sm:hidden">
            {table.columns[0]?.permission}
          </span>
        )}
        {data && (
          <>
            <p className="text-ink2">{hasNextPage ? rows.length > 0 && `${countText}+` : countText}</p>
            {leftOut > 0 && (
              <p className="ml-auto text-[12px] text-ink3">
                {leftOut.toLocaleString('en')} stored relationships ignored (not allowed by the schema)
              </p>
            )}
          </>
        )}
        {hasCycle && <CycleBadge />}
      </header>
      {isPending && <Skeleton label={`Looking up ${title}`} rows={2} rowClass="h-9" />}
      {[...failures, ...(error ? [error] : [])].map((failure, index) => (
        <div key={index} className="px-5 pb-5">
          <ErrorCard failure={toFailure(failure)} onRetry={() => void refetch()} />
        </div>
      ))}
      <MatrixRows
        label={title}
        table={table}
        columnCount={columnCount}
        rows={isCut ? rows.slice(0, shownCount) : rows}
        hasMore={hasNextPage}
        onNearEnd={!isCut && hasNextPage && !isFetchingNextPage && !isStopped && !error ? loadMore : undefined}
        parts={parts}
      />
      {hasNothing && <p className="border-t border-line px-5 py-3 text-ink2">No results</p>}
      {isCut && (
        <div className="border-t border-hair px-4 py-2.5 sm:px-[18px]">
          <Button isSmall onClick={() => setLong(true)}>
            Show all {countText}
            {hasNextPage && '+'}
          </Button>
        </div>
      )}
      {data && hasNextPage && !error && !isCut && (
        <Progress
          countText={`${rows.length === 0 ? 'No results' : countText} so far`}
          isLoading={isFetchingNextPage}
          isStopped={isStopped}
          onStop={stop}
        />
      )}
    </section>
  )
}

interface ProgressProps {
  countText: string
  isLoading: boolean
  isStopped: boolean
  onStop: (isStopped: boolean) => void
}

/** The progress of loading an incomplete table. */
function Progress({ countText, isLoading, isStopped, onStop }: ProgressProps) {
  return (
    <div className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-5 py-2 text-ink2">
      <p role="status">
        {isLoading && `Loading: ${countText}`}
        {!isLoading && (isStopped ? `Stopped: ${countText}` : `${countText}. Scroll to the end to load more.`)}
      </p>
      {isStopped && (
        <Button isSmall onClick={() => onStop(false)}>
          Resume
        </Button>
      )}
      {isLoading && !isStopped && (
        <Button isSmall onClick={() => onStop(true)}>
          Stop
        </Button>
      )}
    </div>
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
