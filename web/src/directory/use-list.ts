import type { Endpoint, Returned, Sent } from '@passport/contract/endpoint'
import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { call, query } from '../app/api.ts'
import { afterOf } from './list-cursor.ts'

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
type RowOf<E extends Endpoint> = Returned<E> extends ListPart<infer Row> ? Row : never

/** Loads a part of a list. What is not wanted any more is not waited for: its request is aborted. */
export function useList<E extends Listing>(endpoint: E, sent: Sent<E>): UseQueryResult<Returned<E>> {
  return useQuery({ ...query(endpoint, sent), placeholderData: keepPreviousData } as never) as never
}

/** Every row of a list under its word and filters, however many pages it has: what “all that match” stands for. */
export async function everyRow<E extends Listing>(endpoint: E, sent: Sent<E>): Promise<RowOf<E>[]> {
  const rows: unknown[] = []
  const asked = (sent as { query?: object }).query
  for (let page = 1, after: string | undefined; ; page++) {
    const query = { ...asked, limit: mostAtOnce, page, after }
    const part = await call<Listing>(endpoint, { ...sent, query } as never)
    rows.push(...part.items)
    if (part.next === null) return rows as RowOf<E>[]
    after = afterOf(part.next)
  }
}

/** No list sends more rows at once. */
const mostAtOnce = 200
