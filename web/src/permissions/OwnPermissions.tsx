import { listOwnPermissions } from '@passport/contract/own-permissions'
import { useInfiniteQuery } from '@tanstack/react-query'
import { call, toFailure } from '../app/api.ts'
import { parseNextCursor } from '../directory/list-cursor.ts'
import { Button } from '../ui/Button.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { OwnTable } from './OwnTable.tsx'

/** The signed-in user's permissions in applications: a matrix for each type, with the path of each result. */
export function OwnPermissions() {
  const permissionsQuery = useInfiniteQuery({
    queryKey: [listOwnPermissions.path],
    queryFn: ({ pageParam, signal }) => call(listOwnPermissions, { query: { after: pageParam } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => (next === null ? undefined : parseNextCursor(next)),
  })
  const { data, error, dataUpdatedAt, hasNextPage, isFetchingNextPage, isFetchNextPageError } = permissionsQuery
  const retry = () => void (isFetchNextPageError ? permissionsQuery.fetchNextPage() : permissionsQuery.refetch())
  const permissions = data?.pages.flatMap(({ items }) => items) ?? []
  const tables = [...Map.groupBy(permissions, ({ type }) => type)]
  // Tables with the same columns; one with many has columns of its own.
  const columnCount = Math.max(0, ...tables.map(([, { length }]) => length).filter((count) => count <= 4))
  return (
    <div className="grid grid-cols-1 gap-2">
      {!data && !error && <Skeleton label="Loading permissions" rows={2} />}
      {tables.map(([type, columns]) => (
        <OwnTable
          key={type}
          type={type}
          columns={columns}
          columnCount={columnCount}
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
