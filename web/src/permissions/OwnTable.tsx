import {
  explainOwnPermission,
  listOwnResources,
  type OwnPermission,
  type OwnResource,
} from '@passport/contract/own-permissions'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call, query, toFailure } from '../app/api.ts'
import { parseNextCursor } from '../directory/list-cursor.ts'
import { Button } from '../ui/Button.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { mergeLists } from './merge-lists.ts'
import { ObjectLabel, ObjectPicture } from './ObjectName.tsx'
import { objectKindOf } from './object-kind.ts'
import { PathLines } from './PathLine.tsx'
import { describeType, printReference } from './reference.ts'
import { formatVerdict, VerdictMark } from './Verdict.tsx'

/** The rows of a table that are shown at first. */
const maxRows = 8

interface OwnTableProps {
  type: string
  /** The permissions of the type, each with its first page. */
  columns: OwnPermission[]
  /** The number of columns for permissions, so that all tables have the same ones. */
  columnCount: number
  /** The load time of the first page, in milliseconds since 1970. A reload discards the further pages. */
  loadedAt: number
  onRetry: () => void
}

/** A page of each permission; undefined where a step did not load one. */
type Step = (Pick<OwnPermission, 'items' | 'next'> | undefined)[]

/** Merges the loaded pages of the permissions into rows. */
function mergeSteps(count: number, steps: readonly Step[]) {
  const lists = Array.from({ length: count }, (_, index) => {
    const pages = steps.flatMap((step) => step[index] ?? [])
    return { items: pages.flatMap(({ items }) => items), next: pages.at(-1)?.next ?? null }
  })
  const { rows, needsPage } = mergeLists(lists.map(({ items, next }) => ({ items, hasMore: next !== null })))
  return {
    rows,
    cursors: lists.map(({ next }, index) => (needsPage[index] && next !== null ? parseNextCursor(next) : undefined)),
  }
}

/** The resources of a type with the user's permissions on them. */
export function OwnTable({ type, columns, columnCount, loadedAt, onRetry }: OwnTableProps) {
  const resources = useInfiniteQuery({
    queryKey: [listOwnResources.path, type, columns.map(({ permission }) => permission).join(), loadedAt],
    queryFn: ({ pageParam, signal }): Promise<Step> =>
      Promise.all(
        columns.map(async ({ permission }, index) => {
          const after = pageParam[index]
          return after && call(listOwnResources, { query: { type, permission, after } }, { signal })
        }),
      ) as Promise<Step>,
    initialData: { pages: [columns as Step], pageParams: [[]] },
    staleTime: Number.POSITIVE_INFINITY,
    initialPageParam: [] as (string | undefined)[],
    getNextPageParam: (_, steps) => {
      const { cursors } = mergeSteps(columns.length, steps)
      return cursors.some((cursor) => cursor !== undefined) ? cursors : undefined
    },
  })
  const { hasNextPage, isFetchingNextPage } = resources
  const { rows } = mergeSteps(columns.length, resources.data.pages)
  const [isLong, setLong] = useState(false)
  // One row more than a button would take its place.
  const shown = isLong || rows.length <= maxRows + 1 ? rows : rows.slice(0, maxRows)
  const showMore = () => void resources.fetchNextPage()
  const count = `${rows.length.toLocaleString('en')}${hasNextPage ? '+' : ''}`
  const failed = columns.filter(({ error }) => error)
  return (
    <section aria-label={describeType({ type })} className="border-t border-line pt-2 first:border-0 first:pt-0">
      <h3 className="flex items-center gap-2.5 py-1.5 font-[620] [overflow-wrap:anywhere]">
        <ObjectIcon kind={objectKindOf(type)} size={22} />
        {describeType({ type })}
        {/* With one permission, a row of a small window has one line. */}
        {columns.length === 1 && (
          <span aria-hidden="true" className="font-mono text-[12.5px] font-normal text-ink2 sm:hidden">
            {columns[0]?.permission}
          </span>
        )}
        {(rows.length > 0 || failed.length === 0) && <span className="font-normal text-ink2">{count}</span>}
      </h3>
      {rows.length > 0 && (
        // The roles are lost where the parts are laid out as cards.
        <table role="table" className="w-full table-fixed max-sm:block">
          <thead role="rowgroup" className="max-sm:sr-only">
            <tr role="row" className="h-9 text-[12px] text-ink2">
              <th role="columnheader" scope="col" className="text-left font-[560]">
                Name
              </th>
              {columns.map(({ permission }) => (
                <th key={permission} role="columnheader" scope="col" className="w-20 truncate font-mono font-[560]">
                  {permission}
                </th>
              ))}
              {columns.length < columnCount && (
                <td
                  role="cell"
                  colSpan={columnCount - columns.length}
                  style={{ width: `${(columnCount - columns.length) * 5}rem` }}
                />
              )}
              <td role="cell" className="w-20" />
            </tr>
          </thead>
          <tbody role="rowgroup" className="max-sm:block">
            {shown.map(({ id, items }) => (
              <OwnRow key={id} {...{ type, id, items, columns, columnCount }} />
            ))}
          </tbody>
        </table>
      )}
      {failed.length === 0 && rows.length === 0 && (
        <p className="border-t border-hair py-3 text-ink2">{hasNextPage ? 'No results so far' : 'No results'}</p>
      )}
      {failed.map(({ permission, error }) => (
        <div key={permission} className="pb-3">
          <ErrorCard
            failure={{ title: `${permission}: not available`, detail: error?.message ?? '' }}
            onRetry={onRetry}
          />
        </div>
      ))}
      {resources.error && (
        <div className="pb-3">
          <ErrorCard failure={toFailure(resources.error)} onRetry={showMore} />
        </div>
      )}
      {shown.length < rows.length && (
        <div className="border-t border-hair py-2.5">
          <Button isSmall onClick={() => setLong(true)}>
            {hasNextPage ? 'Show more' : `Show all ${count}`}
          </Button>
        </div>
      )}
      {hasNextPage && !resources.error && shown.length === rows.length && (
        <div className="border-t border-hair py-3">
          <Button isSmall isBusy={isFetchingNextPage} onClick={showMore}>
            Show more
          </Button>
        </div>
      )}
    </section>
  )
}

interface OwnRowProps extends Pick<OwnTableProps, 'type' | 'columns' | 'columnCount'> {
  id: string
  /** The result of each permission; undefined where the user lacks it. */
  items: (OwnResource | undefined)[]
}

/** A resource with its permissions and, on request, the path of one of them. */
function OwnRow({ type, id, items, columns, columnCount }: OwnRowProps) {
  const [openColumn, setOpenColumn] = useState<number>()
  const name = items.find((item) => item)?.name ?? null
  const reference = printReference({ type, id })
  const isOpen = openColumn !== undefined
  const first = items.findIndex((item) => item)
  const permission = columns[openColumn ?? first]?.permission ?? ''
  return (
    <>
      <tr
        role="row"
        className="border-t border-hair max-sm:flex max-sm:flex-wrap max-sm:items-center max-sm:gap-x-3 max-sm:py-2 sm:h-[46px]"
      >
        <th
          role="rowheader"
          scope="row"
          className={`text-left font-normal ${columns.length === 1 ? 'max-sm:flex-1' : 'max-sm:basis-full'}`}
        >
          <span className="flex min-w-0 items-center gap-2.5">
            <ObjectPicture object={{ type, id, name }} size={28} />
            <ObjectLabel object={{ type, id, name }} />
          </span>
        </th>
        {columns.map(({ permission }, index) => {
          const item = items[index]
          return (
            <td key={permission} role="cell" className={`text-center ${item ? '' : 'max-sm:hidden'}`}>
              {item ? (
                <OwnCell
                  item={item}
                  permission={permission}
                  reference={reference}
                  isNamed={columns.length > 1}
                  isOpen={openColumn === index}
                  onToggle={() => setOpenColumn(openColumn === index ? undefined : index)}
                />
              ) : (
                <span className="text-ink3">–</span>
              )}
            </td>
          )
        })}
        {columns.length < columnCount && (
          <td role="cell" colSpan={columnCount - columns.length} className="max-sm:hidden" />
        )}
        <td role="cell" className="text-right max-sm:ml-auto">
          <button
            type="button"
            aria-expanded={isOpen}
            aria-label={`${isOpen ? 'Hide why' : 'Why'} ${reference}`}
            className="link text-[13px] leading-9 pointer-coarse:leading-[44px]"
            onClick={() => setOpenColumn(isOpen ? undefined : first)}
          >
            {isOpen ? 'Hide why' : 'Why'}
          </button>
        </td>
      </tr>
      {isOpen && (
        <tr role="row" className="max-sm:block">
          <td role="cell" colSpan={Math.max(columnCount, columns.length) + 2} className="pb-2 max-sm:block">
            <div className="grid gap-2 rounded-ctl bg-well px-3 py-2.5">
              <OwnPath key={permission} type={type} id={id} permission={permission} />
            </div>
          </td>
        </tr>
      )}
    </>
  )
}

interface OwnCellProps {
  item: OwnResource
  permission: string
  reference: string
  /** Whether the cell names its permission in a small window. */
  isNamed: boolean
  isOpen: boolean
  onToggle: () => void
}

/** A permission that the user has, as a button that toggles its path. */
function OwnCell({
  item: { permissionship, partialCaveatMissing: missing },
  permission,
  reference,
  isNamed,
  isOpen,
  onToggle,
}: OwnCellProps) {
  return (
    <span className="inline-flex items-center gap-1.5 sm:flex-col sm:gap-0.5">
      {isNamed && (
        <span aria-hidden="true" className="font-mono text-[12.5px] text-ink2 sm:hidden">
          {permission}
        </span>
      )}
      <button
        type="button"
        aria-expanded={isOpen}
        aria-label={`${formatVerdict(permissionship)}: ${permission}, ${reference}`}
        className="group inline-grid min-h-9 min-w-9 place-items-center rounded-ctl pointer-coarse:min-h-11 pointer-coarse:min-w-11"
        onClick={onToggle}
      >
        <VerdictMark permissionship={permissionship} />
      </button>
      {missing.length > 0 && (
        <span className="text-[12px] leading-tight text-ink3 [overflow-wrap:anywhere]">on {missing.join(', ')}</span>
      )}
    </span>
  )
}

/** The path by which the signed-in user has the permission. */
function OwnPath(target: { type: string; id: string; permission: string }) {
  const { data, error, refetch } = useQuery({ ...query(explainOwnPermission, { query: target }), retry: false })
  if (error) return <ErrorCard failure={toFailure(error)} onRetry={() => void refetch()} />
  if (!data) return <p className="text-ink3">Loading path…</p>
  return <PathLines chains={data.chains} isAllowed={data.permissionship !== 'noPermission'} />
}
