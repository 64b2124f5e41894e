import {
  explainOwnPermission,
  listOwnPermissions,
  listOwnResources,
  type OwnPermission,
  type OwnResource,
} from '@passport/contract/own-permissions'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type ReactNode, type Ref, useState } from 'react'
import { call, query, toFailure } from '../app/api.ts'
import { parseNextCursor } from '../directory/list-cursor.ts'
import { Button } from '../ui/Button.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard, type Failure } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { ObjectLabel, PathChains } from './PathChains.tsx'
import { printReference } from './reference.ts'
import { Verdict } from './Verdict.tsx'

/** The signed-in user's permissions in applications, each with its path. */
export function OwnReach() {
  const permissionsQuery = useInfiniteQuery({
    queryKey: [listOwnPermissions.path],
    queryFn: ({ pageParam, signal }) => call(listOwnPermissions, { query: { after: pageParam } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => (next === null ? undefined : parseNextCursor(next)),
  })
  const { data, error, dataUpdatedAt, hasNextPage, isFetchingNextPage, isFetchNextPageError } = permissionsQuery
  const retry = () => void (isFetchNextPageError ? permissionsQuery.fetchNextPage() : permissionsQuery.refetch())
  const permissions = data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <div className="grid gap-3">
      {!data && !error && <Skeleton label="Loading permissions" rows={2} />}
      {permissions.map((permission) => (
        <OwnSection
          key={`${permission.type} ${permission.permission}`}
          ownPermission={permission}
          loadedAt={dataUpdatedAt}
          onRetry={retry}
        />
      ))}
      {data && permissions.length === 0 && !hasNextPage && (
        <Empty kind="nothing yet" title="No permissions">
          You have no permissions in any app yet.
        </Empty>
      )}
      {error && <ErrorCard failure={toFailure(error)} onRetry={retry} />}
      {hasNextPage && !error && (
        <Button className="w-fit" isBusy={isFetchingNextPage} onClick={() => void permissionsQuery.fetchNextPage()}>
          Show more permissions
        </Button>
      )}
    </div>
  )
}

interface OwnSectionProps {
  ownPermission: OwnPermission
  /** When the first page was loaded: further pages belong to it. */
  loadedAt: number
  onRetry: () => void
}

/** One permission of the signed-in user: its resources, each with its path. */
export function OwnSection({
  ownPermission: { type, permission, items, next, error },
  loadedAt,
  onRetry,
}: OwnSectionProps) {
  const resources = useInfiniteQuery({
    queryKey: [listOwnResources.path, type, permission, loadedAt],
    queryFn: ({ pageParam, signal }) =>
      call(listOwnResources, { query: { type, permission, after: pageParam } }, { signal }),
    initialData: { pages: [{ items, limit: items.length, next }], pageParams: [undefined] },
    staleTime: Number.POSITIVE_INFINITY,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => (next === null ? undefined : parseNextCursor(next)),
  })
  const rows = resources.data.pages.flatMap(({ items }) => items)
  const failure = error
    ? { title: 'Not available', detail: error.message }
    : resources.error && toFailure(resources.error)
  return (
    <ResultFrame
      title={`${type} · ${permission}`}
      count={rows.length}
      hasMore={resources.hasNextPage}
      isLoadingMore={resources.isFetchingNextPage}
      failure={failure ?? undefined}
      onMore={() => void resources.fetchNextPage()}
      onRetry={error ? onRetry : () => void resources.fetchNextPage()}
    >
      {rows.map((row) => (
        <OwnRow key={row.id} row={row} type={type} permission={permission} />
      ))}
    </ResultFrame>
  )
}

function OwnRow({ row, type, permission }: { row: OwnResource; type: string; permission: string }) {
  const { id, name, permissionship, partialCaveatMissing } = row
  const [isOpen, setOpen] = useState(false)
  return (
    <li className="border-t border-line px-5 py-2">
      <ResultLine
        reference={printReference({ type, id })}
        label={name && <span className="text-ink2">{name}</span>}
        verdict={<Verdict permissionship={permissionship} missing={partialCaveatMissing} />}
        isOpen={isOpen}
        onToggle={() => setOpen(!isOpen)}
        renderReason={() => <OwnPath type={type} id={id} permission={permission} />}
      />
    </li>
  )
}

/** The path by which the signed-in user has the permission, computed on demand. */
function OwnPath(target: { type: string; id: string; permission: string }) {
  const { data, error, refetch } = useQuery({ ...query(explainOwnPermission, { query: target }), retry: false })
  if (error) return <ErrorCard failure={toFailure(error)} onRetry={() => void refetch()} />
  if (!data) return <p className="text-ink3">Loading path…</p>
  return (
    <div className="grid gap-2">
      <PathChains
        chains={data.chains}
        isAllowed={data.permissionship !== 'noPermission'}
        renderObject={({ type, id, name }) => <ObjectLabel object={{ type, id }} name={name} />}
        renderRelation={({ relation }) => relation}
      />
    </div>
  )
}

interface ResultFrameProps {
  title: string
  count: number
  hasMore: boolean
  isLoadingMore: boolean
  failure: Failure | undefined
  onMore: () => void
  onRetry: () => void
  /** A row for each result. */
  children: ReactNode
}

/** The results for one permission, and a button for more. */
export function ResultFrame(props: ResultFrameProps) {
  const { title, count, hasMore, isLoadingMore, failure, onMore, onRetry, children } = props
  return (
    <section aria-label={title} className="rounded-box border border-line bg-card">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 px-5 py-3">
        <h3 className="font-mono text-[13.5px] font-[620] [overflow-wrap:anywhere]">{title}</h3>
        {!failure && (
          <p className="text-ink2">
            {count.toLocaleString('en')}
            {hasMore && '+'}
          </p>
        )}
      </header>
      {count > 0 && <ul>{children}</ul>}
      {!failure && count === 0 && (
        <p className="border-t border-line px-5 py-3 text-ink2">{hasMore ? 'No results so far' : 'No results'}</p>
      )}
      {failure && (
        <div className="px-5 pb-5">
          <ErrorCard failure={failure} onRetry={onRetry} />
        </div>
      )}
      {hasMore && !failure && (
        <div className="border-t border-line px-5 py-3">
          <Button isSmall isBusy={isLoadingMore} onClick={onMore}>
            Show more
          </Button>
        </div>
      )}
    </section>
  )
}

interface ResultLineProps {
  reference: string
  /** Shown beside the reference, such as its name. */
  label: ReactNode
  details?: ReactNode
  verdict: ReactNode
  /** Whether the reason is shown. */
  isOpen: boolean
  onToggle: () => void
  /** The button's `tabIndex`, if the rows are a single tab stop. */
  tabIndex?: number | undefined
  /** The element of the open path. */
  reasonRef?: Ref<HTMLDivElement>
  /** The reason, rendered on demand. */
  renderReason: () => ReactNode
}

/** One result, its verdict, and on demand the reason. */
export function ResultLine(props: ResultLineProps) {
  const { reference, label, details, verdict, isOpen, onToggle, tabIndex, reasonRef, renderReason } = props
  const buttonText = isOpen ? 'Hide why' : 'Why'
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <div className="min-w-0 flex-1 basis-44">
          <p className="flex flex-wrap items-baseline gap-x-2">
            <code className="font-mono text-[13px] [overflow-wrap:anywhere]">{reference}</code>
            {label}
          </p>
          {details}
        </div>
        {verdict}
        <Button
          isSmall
          variant="ghost"
          tabIndex={tabIndex}
          aria-expanded={isOpen}
          aria-label={`${buttonText} ${reference}`}
          onClick={onToggle}
        >
          {buttonText}
        </Button>
      </div>
      {isOpen && (
        <div ref={reasonRef} className="mt-1 mb-2 scroll-my-2 rounded-ctl bg-well px-3 py-2.5">
          {renderReason()}
        </div>
      )}
    </>
  )
}
