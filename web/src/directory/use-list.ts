import type { ApiError } from '@passport/contract/call'
import type { Endpoint, RequestInput, ResponseData } from '@passport/contract/endpoint'
import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { call, query } from '../app/api.ts'
import { isRetryable } from '../app/query-client.ts'
import { parseNextCursor } from './list-cursor.ts'

/** The response of a list endpoint: one page, as in the contract's `page`. */
export interface ListPageData<Row> {
  items: Row[]
  page: number
  limit: number
  total: number
  totalIsExact?: false | undefined
  next: string | null
}

/** The query result that `ListPage` renders. While a page loads, it has the rows of the previous one. */
export type ListResult<Row> = Pick<
  UseQueryResult<ListPageData<Row>>,
  'data' | 'error' | 'isPending' | 'isPlaceholderData' | 'refetch'
>

type ListEndpoint = Endpoint & { returns: { schema: { _zod: { output: ListPageData<unknown> } } } }
type RowOf<E extends Endpoint> = ResponseData<E> extends ListPageData<infer Row> ? Row : never

/**
 * Loads a page of a list; outdated requests are aborted. After a temporary failure, the rows of the previous request stay.
 */
export function useList<E extends ListEndpoint>(
  endpoint: E,
  request: RequestInput<E>,
): UseQueryResult<ResponseData<E>> {
  const list = useQuery({ ...query(endpoint, request), placeholderData: keepPreviousData } as never)
  const { data, error } = list
  const lastData = useRef(data)
  if (data !== undefined) lastData.current = data
  if (data !== undefined || lastData.current === undefined || !error || !isTemporary(error)) return list as never
  return { ...list, data: lastData.current, isPlaceholderData: true } as never
}

/** Reports whether the list may load later: after a failure of the network or the server, or another sign-in. */
const isTemporary = (error: Error) => isRetryable(error) || (error as ApiError).status === 401

/** Returns every row of a list that matches the search and filters, across all pages. */
export async function loadAllRows<E extends ListEndpoint>(endpoint: E, request: RequestInput<E>): Promise<RowOf<E>[]> {
  const rows: unknown[] = []
  const baseQuery = (request as { query?: object }).query
  for (let page = 1, after: string | undefined; ; page++) {
    const pageQuery = { ...baseQuery, limit: maxPageSize, page, after }
    const { items, next } = await call<ListEndpoint>(endpoint, { ...request, query: pageQuery } as never)
    rows.push(...items)
    if (next === null) return rows as RowOf<E>[]
    after = parseNextCursor(next)
  }
}

/** The maximum page size of every list. */
const maxPageSize = 200
