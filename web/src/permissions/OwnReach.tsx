import { listOwnPermissions } from '@passport/contract/own-permissions'
import { useInfiniteQuery } from '@tanstack/react-query'
import { call, failureOf } from '../app/api.ts'
import { afterOf } from '../directory/list-cursor.ts'
import { Button } from '../ui/Button.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { OwnSection } from './OwnSection.tsx'

/** All that applications let whoever is signed in do, each with its path. */
export function OwnReach() {
  const listed = useInfiniteQuery({
    queryKey: [listOwnPermissions.path],
    queryFn: ({ pageParam, signal }) => call(listOwnPermissions, { query: { after: pageParam } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => (next === null ? undefined : afterOf(next)),
  })
  const { data, error, dataUpdatedAt, hasNextPage, isFetchingNextPage, isFetchNextPageError } = listed
  const retry = () => void (isFetchNextPageError ? listed.fetchNextPage() : listed.refetch())
  const permissions = data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <div className="grid gap-3">
      {!data && !error && <Skeleton label="Loading permissions" rows={2} />}
      {permissions.map((one) => (
        <OwnSection key={`${one.type} ${one.permission}`} of={one} toldAt={dataUpdatedAt} onRetry={retry} />
      ))}
      {data && permissions.length === 0 && !hasNextPage && (
        <Empty kind="nothing yet" title="No permissions">
          No application lets you do anything yet.
        </Empty>
      )}
      {error && <ErrorCard failure={failureOf(error)} onRetry={retry} />}
      {hasNextPage && !error && (
        <Button className="w-fit" isBusy={isFetchingNextPage} onClick={() => void listed.fetchNextPage()}>
          More permissions
        </Button>
      )}
    </div>
  )
}
