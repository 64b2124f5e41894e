import { listOwnPermissions } from '@passport/contract/own-permissions'
import { useInfiniteQuery } from '@tanstack/react-query'
import { call, toFailure } from '../app/api.ts'
import { parseNextCursor } from '../directory/list-cursor.ts'
import { Button } from '../ui/Button.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { OwnSection } from './OwnSection.tsx'

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
