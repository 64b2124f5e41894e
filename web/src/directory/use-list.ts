import type { ApiError } from '@passport/contract/call'
import type { Endpoint, RequestInput, ResponseData } from '@passport/contract/endpoint'
import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { call, query } from '../app/api.ts'
import { isRetryable } from '../app/query-client.ts'
import { parseNextCursor } from './list-cursor.ts'

/** A page of a list, as in the contract's `page`. */
export interface ListPart<Row> {
  items: Row[]
  page: number
  limit: number
  total: number
  totalIsExact?: false | undefined
  next: string | null
}

/** The list for `ListPage`: the response of a list endpoint, with the previous rows while loading. */
export type List<Row> = Pick<
  UseQueryResult<ListPart<Row>>,
  'data' | 'error' | 'isPending' | 'isPlaceholderData' | 'refetch'
>

type ListEndpoint = Endpoint & { returns: { schema: { _zod: { output: ListPart<unknown> } } } }
type RowOf<E extends Endpoint> = ResponseData<E> extends ListPart<infer Row> ? Row : never

/**
 * Loads a page of a list; outdated requests are aborted. After a failure that may pass, the rows of the previous request
 * stay.
 */
export function useList<E extends ListEndpoint>(
  endpoint: E,
  request: RequestInput<E>,
): UseQueryResult<ResponseData<E>> {
  const list = useQuery({ ...query(endpoint, request), placeholderData: keepPreviousData } as never)
  const { data, error } = list
  const lastData = useRef(data)
  if (data !== undefined) lastData.current = data
  if (data !== undefined || lastData.current === undefined || !error || !isPassing(error)) return list as never
  return { ...list, data: lastData.current, isPlaceholderData: true } as never
}

/** Whether the list may load later: after a failure of the network or the server, or another sign-in. */
const isPassing = (error: Error) => isRetryable(error) || (error as ApiError).status === 401

/** Returns every row of a list that matches the search and filters, across all pages. */
export async function loadAllRows<E extends ListEndpoint>(endpoint: E, request: RequestInput<E>): Promise<RowOf<E>[]> {
  const rows: unknown[] = []
  const baseQuery = (request as { query?: object }).query
  for (let page = 1, after: string | undefined; ; page++) {
    const query = { ...baseQuery, limit: maxPageSize, page, after }
    const listPart = await call<ListEndpoint>(endpoint, { ...request, query } as never)
    rows.push(...listPart.items)
    if (listPart.next === null) return rows as RowOf<E>[]
    after = parseNextCursor(listPart.next)
  }
}

/** The maximum page size of every list. */
const maxPageSize = 200
