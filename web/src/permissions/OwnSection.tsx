import {
  explainOwnPermission,
  listOwnResources,
  type OwnPermission,
  type OwnResource,
} from '@passport/contract/own-permissions'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call, failureOf, query } from '../app/api.ts'
import { afterOf } from '../directory/list-cursor.ts'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { FoundFrame } from './FoundFrame.tsx'
import { FoundLine } from './FoundLine.tsx'
import { PathChains, PlaceName } from './PathChains.tsx'
import { printReference } from './reference.ts'
import { Verdict } from './Verdict.tsx'

interface OwnSectionProps {
  of: OwnPermission
  /** When that was told: what comes after its first resources belongs to it. */
  toldAt: number
  onRetry: () => void
}

/** One permission of one's own: its resources, each with its path. */
export function OwnSection({ of: { type, permission, items, next, error }, toldAt, onRetry }: OwnSectionProps) {
  const found = useInfiniteQuery({
    queryKey: [listOwnResources.path, type, permission, toldAt],
    queryFn: ({ pageParam, signal }) =>
      call(listOwnResources, { query: { type, permission, after: pageParam } }, { signal }),
    initialData: { pages: [{ items, limit: items.length, next }], pageParams: [undefined] },
    staleTime: Number.POSITIVE_INFINITY,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => (next === null ? undefined : afterOf(next)),
  })
  const rows = found.data.pages.flatMap(({ items }) => items)
  const failure = error ? { title: 'Not worked out', detail: error.message } : found.error && failureOf(found.error)
  return (
    <FoundFrame
      title={`${type} · ${permission}`}
      count={rows.length}
      isMore={found.hasNextPage}
      isLoadingMore={found.isFetchingNextPage}
      failure={failure ?? undefined}
      onMore={() => void found.fetchNextPage()}
      onRetry={error ? onRetry : () => void found.fetchNextPage()}
    >
      {rows.map((row) => (
        <OwnRow key={row.id} row={row} type={type} permission={permission} />
      ))}
    </FoundFrame>
  )
}

function OwnRow({ row, type, permission }: { row: OwnResource; type: string; permission: string }) {
  const { id, name, permissionship, partialCaveatMissing } = row
  const [isOpen, setOpen] = useState(false)
  return (
    <li className="border-t border-line px-5 py-2">
      <FoundLine
        reference={printReference({ type, id })}
        beside={name && <span className="text-ink2">{name}</span>}
        verdict={<Verdict permissionship={permissionship} missing={partialCaveatMissing} />}
        isOpen={isOpen}
        onToggle={() => setOpen(!isOpen)}
        path={() => <OwnPath type={type} id={id} permission={permission} />}
      />
    </li>
  )
}

/** How one has it oneself, worked out anew. */
function OwnPath(asked: { type: string; id: string; permission: string }) {
  const { data, error, refetch } = useQuery({ ...query(explainOwnPermission, { query: asked }), retry: false })
  if (error) return <ErrorCard failure={failureOf(error)} onRetry={() => void refetch()} />
  if (!data) return <p className="text-ink3">Working it out …</p>
  return (
    <div className="grid gap-2">
      <PathChains
        chains={data.chains}
        isAllowed={data.permissionship !== 'noPermission'}
        placeOf={({ type, id, name }) => <PlaceName place={{ type, id }} name={name} />}
        relationOf={({ relation }) => relation}
      />
    </div>
  )
}
