import type { Endpoint, RequestInput, ResponseData } from '@passport/contract/endpoint'
import type { QueryKey } from '@tanstack/react-query'
import { queryClient } from './query-client.ts'

/** A change of cached responses. Create it with `editResponse`, `editRows` or `appendRows`. */
export interface CacheEdit {
  queryKey: QueryKey
  update: (data: unknown) => unknown
}

/** Selects cached responses of an endpoint: those of requests with at least these members; `{}` selects all. */
type RequestFilter<E extends Endpoint> = Partial<RequestInput<E>>

/** Edits the cached responses of an endpoint. */
export const editResponse = <E extends Endpoint>(
  endpoint: E,
  request: RequestFilter<E>,
  update: (data: ResponseData<E>) => ResponseData<E>,
): CacheEdit => ({ queryKey: [endpoint.path, request], update: update as CacheEdit['update'] })

interface Rows<Row extends { id: string }> {
  items: Row[]
  total: number
  next: string | null
}
type RowOf<E extends Endpoint> = ResponseData<E> extends { items: (infer Row extends { id: string })[] } ? Row : never

/** Edits the rows of a list on all its cached pages; rows for which `update` returns undefined are removed. */
export const editRows = <E extends Endpoint>(
  endpoint: E,
  request: RequestFilter<E>,
  update: (row: RowOf<E>) => RowOf<E> | undefined,
): CacheEdit =>
  editList(endpoint, request, ({ items, total, ...rest }) => {
    const kept = items.flatMap((row) => update(row) ?? [])
    return { ...rest, items: kept, total: total - items.length + kept.length }
  })

/** Appends rows to a list, except those that it has already. They are visible on its last page only. */
export const appendRows = <E extends Endpoint>(endpoint: E, request: RequestFilter<E>, rows: RowOf<E>[]): CacheEdit =>
  editList(endpoint, request, ({ items, total, next, ...rest }) => {
    const added = rows.filter(({ id }) => !items.some((item) => item.id === id))
    return { ...rest, items: next === null ? [...items, ...added] : items, total: total + added.length, next }
  })

const editList = <E extends Endpoint>(
  { path }: E,
  request: RequestFilter<E>,
  update: (page: Rows<RowOf<E>>) => Rows<RowOf<E>>,
): CacheEdit => ({ queryKey: [path, request], update: update as CacheEdit['update'] })

/**
 * Shows a change before the service has confirmed it. Rejects with the call's error, after the previous data are shown
 * again and requested again. The caller reports the error, and invalidates the queries after a success.
 *
 *     await updateOptimistically(
 *       [editRows(listUsers, {}, (user) => (user.id === userId ? { ...user, disabled: true } : user))],
 *       () => call(disableUser, { params: { userId }, query: {} }),
 *     )
 *
 * A change that may affect roles passes its edits to `change` of `usePreview`, which applies them after the
 * confirmation.
 */
export async function updateOptimistically<T>(edits: CacheEdit[], send: () => Promise<T>): Promise<T> {
  const filters = edits.map(({ queryKey }) => ({ queryKey, predicate: hasData }))
  // A response that was requested before the change would undo the edits.
  await Promise.all(filters.map((filter) => queryClient.cancelQueries(filter)))
  const previous = filters.flatMap((filter) => queryClient.getQueriesData(filter))
  for (const { queryKey, update } of edits)
    queryClient.setQueriesData({ queryKey, predicate: hasData }, (data: unknown) => update(data))
  try {
    return await send()
  } catch (error) {
    for (const [queryKey, data] of previous) queryClient.setQueryData(queryKey, data)
    for (const filter of filters) void queryClient.invalidateQueries(filter)
    throw error
  }
}

const hasData = ({ state }: { state: { data: unknown } }) => state.data !== undefined
