import { type AuditFilter, listAuditEntries } from '@passport/contract/audit'
import { discover } from '@passport/contract/discovery'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { call, query, toFailure } from '../app/api.ts'
import { parseNextCursor } from '../directory/list-cursor.ts'

const pageSize = 100

/** Returns the filtered audit log, newest first; `loadMore` loads the next page. */
export function useAudit(filter: AuditFilter) {
  const audit = useInfiniteQuery({
    queryKey: [listAuditEntries.path, { query: { ...filter, limit: pageSize } }],
    queryFn: ({ pageParam, signal }) =>
      call(listAuditEntries, { query: { ...filter, limit: pageSize, after: pageParam } }, { signal }),
    // Never cached: the user's own latest action, such as an export, must appear.
    staleTime: 0,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => (next === null ? undefined : parseNextCursor(next)),
  })
  // A sentence would wrap, and move those below it, when the name of its provider replaces the id.
  const providers = useQuery({ ...query(discover, { query: {} }), staleTime: 5 * 60_000 })
  return {
    entries: providers.isPending ? undefined : audit.data?.pages.flatMap(({ items }) => items),
    failure: audit.error && !audit.isFetchNextPageError ? toFailure(audit.error) : undefined,
    retry: () => void audit.refetch(),
    loadMore: audit.hasNextPage ? () => void audit.fetchNextPage() : undefined,
    isLoadingMore: audit.isFetchingNextPage,
  }
}
