import { type AuditFilter, listAuditEntries } from '@passport/contract/audit'
import { useInfiniteQuery } from '@tanstack/react-query'
import { call, failureOf } from '../app/api.ts'
import { afterOf } from '../directory/list-cursor.ts'

const pageSize = 50

/** What the filter lets through of the audit, newest first, read on by `more`. */
export function useAudit(filter: AuditFilter) {
  const audit = useInfiniteQuery({
    queryKey: [listAuditEntries.path, filter],
    queryFn: ({ pageParam, signal }) =>
      call(listAuditEntries, { query: { ...filter, limit: pageSize, after: pageParam } }, { signal }),
    // A record that lacks what one has just done, such as an export, is not believed.
    staleTime: 0,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => (next === null ? undefined : afterOf(next)),
  })
  return {
    entries: audit.data?.pages.flatMap(({ items }) => items),
    failure: audit.error && !audit.isFetchNextPageError ? failureOf(audit.error) : undefined,
    retry: () => void audit.refetch(),
    more: audit.hasNextPage ? () => void audit.fetchNextPage() : undefined,
    isLoadingMore: audit.isFetchingNextPage,
  }
}
