import type { Endpoint, Returned, Sent } from '@passport/contract/endpoint'
import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { query } from '../app/api.ts'

/** A part of a list, as `page` of the contract has it. */
export interface ListPart<Row> {
  items: Row[]
  page: number
  limit: number
  total: number
  totalIsExact?: false | undefined
  next: string | null
}

/** What `ListPage` shows: the answer of a list endpoint, with the rows before it until it is here. */
export type List<Row> = Pick<
  UseQueryResult<ListPart<Row>>,
  'data' | 'error' | 'isPending' | 'isPlaceholderData' | 'refetch'
>

type Listing = Endpoint & { returns: { schema: { _zod: { output: ListPart<unknown> } } } }

/** Loads a part of a list. What is not wanted any more is not waited for: its request is aborted. */
export function useList<E extends Listing>(endpoint: E, sent: Sent<E>): UseQueryResult<Returned<E>> {
  return useQuery({ ...query(endpoint, sent), placeholderData: keepPreviousData } as never) as never
}
