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
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { ObjectLabel, PathChains } from './PathChains.tsx'
import { ResultFrame } from './ResultFrame.tsx'
import { ResultLine } from './ResultLine.tsx'
import { printReference } from './reference.ts'
import { Verdict } from './Verdict.tsx'

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
