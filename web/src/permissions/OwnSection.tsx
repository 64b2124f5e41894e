import { explainOwnPermission, listOwnResources, type OwnPermission } from '@passport/contract/own-permissions'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { call, failureOf, query } from '../app/api.ts'
import { afterOf } from '../directory/list-cursor.ts'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { FoundFrame, FoundLine } from './FoundFrame.tsx'
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
      isPending={false}
      isMore={found.hasNextPage}
      isLoadingMore={found.isFetchingNextPage}
      failure={failure ?? undefined}
      onMore={() => void found.fetchNextPage()}
      onRetry={error ? onRetry : () => void found.fetchNextPage()}
    >
      {rows.map(({ id, name, permissionship, partialCaveatMissing }) => (
        <FoundLine
          key={id}
          reference={printReference({ type, id })}
          beside={name && <span className="text-ink2">{name}</span>}
          verdict={<Verdict permissionship={permissionship} missing={partialCaveatMissing} />}
          path={() => <OwnPath type={type} id={id} permission={permission} />}
        />
      ))}
    </FoundFrame>
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
