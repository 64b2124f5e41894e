import { useNavigate, useSearch } from '@tanstack/react-router'
import { remember, remembered } from '../app/remembered.ts'
import { afterOf } from './list-cursor.ts'

/** The values that a filter may have; `true` for any text, such as an id. */
export type Filters = Record<string, readonly string[] | true>
type Chosen<F extends Filters> = { [K in keyof F]?: F[K] extends readonly (infer V)[] ? V : string }
type Sort<S extends string> = S | `-${S}`

/** What a list endpoint is asked with: spread it into the query of the call. */
export type ListQuery<F extends Filters, S extends string> = {
  limit: number
  page: number
  after?: string
  query?: string
  sort?: Sort<S>
} & Chosen<F>

/** What of a list stands in the address, and how it is changed. */
export interface ListState<F extends Filters = Filters, S extends string = string> {
  word: string
  filters: Chosen<F>
  sort: Sort<S> | undefined
  page: number
  limit: number
  query: ListQuery<F, S>
  /** Whether the list is narrowed by a word or a filter. */
  isNarrowed: boolean
  search(word: string): void
  filter(name: keyof F & string, value: string | undefined): void
  /** Sorts in this order; nothing stands for the one that the list has by itself. */
  sortBy(order: Sort<S> | ''): void
  /** Takes away the word and the filters. */
  clear(): void
  /** Opens the page that `next` of an answer leads to. */
  goNext(next: string): void
  goBack(): void
  goFirst(): void
  setLimit(limit: number): void
}

export const pageSizes = [25, 50, 100, 200]
const deepestOffset = 10_000
const sizeKey = 'passport.page-size'

/** Which cursor led to which page, so that Previous need not count rows from the start. Forgotten with the document. */
const cursors = new Map<string, string>()

const known = <T extends string>(values: readonly T[], value: string | undefined) => values.find((one) => one === value)

/**
 * The state of a list, which stands in the address and nowhere else: `?q=ana&status=active&sort=-created&page=2`. What
 * is typed replaces the entry of the history, all else adds one. Values that the list does not know count as absent.
 *
 *     const state = useListState({ filters: { status: ['active', 'disabled'], org: true }, sorts: ['name', 'created'] })
 *     const list = useList(listUsers, { query: state.query })
 */
export function useListState<const F extends Filters, const S extends string>({
  filters: filterable,
  sorts,
}: {
  filters: F
  sorts: readonly S[]
}): ListState<F, S> {
  const search = useSearch({ strict: false }) as Record<string, unknown>
  const navigate = useNavigate()
  const one = (name: string) => (typeof search[name] === 'string' && search[name] !== '' ? search[name] : undefined)

  const word = one('q') ?? ''
  const filters = Object.fromEntries(
    Object.entries(filterable).flatMap(([name, values]) => {
      const value = values === true ? one(name) : known(values, one(name))
      return value === undefined ? [] : [[name, value]]
    }),
  ) as Chosen<F>
  const sort = known(
    sorts.flatMap((column): Sort<S>[] => [column, `-${column}`]),
    one('sort'),
  )
  const page = numberOf(one('page')) ?? 1
  const limit = sizeOf(one('limit')) ?? sizeOf(remembered(sizeKey) ?? undefined) ?? 25
  const after = page > 1 ? one('after') : undefined
  const query = {
    limit,
    page,
    ...(after !== undefined && { after }),
    ...(word !== '' && { query: word }),
    ...(sort !== undefined && { sort }),
    ...filters,
  } as ListQuery<F, S>

  const listed = JSON.stringify([location.pathname, word, filters, sort, limit])
  if (after !== undefined) cursors.set(`${listed} ${page}`, after)

  /** Changes what is given; whatever else the address holds stays. */
  const change = (by: Record<string, string | undefined>, options: { replace?: boolean; resetScroll?: boolean } = {}) =>
    void navigate({
      to: '.',
      search: ((old: Record<string, unknown>) => ({ ...old, page: undefined, after: undefined, ...by })) as never,
      ...options,
    })
  const stays = { resetScroll: false }

  return {
    word,
    filters,
    sort,
    page,
    limit,
    query,
    isNarrowed: word !== '' || Object.keys(filters).length > 0,
    search: (text) => change({ q: text || undefined }, { replace: true, ...stays }),
    filter: (name, value) => change({ [name]: value || undefined }, stays),
    sortBy: (order) => change({ sort: order || undefined }, stays),
    clear: () =>
      change({ q: undefined, ...Object.fromEntries(Object.keys(filterable).map((name) => [name, undefined])) }, stays),
    goNext: (next) => {
      change({ page: String(page + 1), after: afterOf(next), limit: String(limit) })
    },
    goBack: () => {
      const to = page - 1
      const cursor = cursors.get(`${listed} ${to}`)
      const isReached = cursor !== undefined || (to - 1) * limit < deepestOffset
      change(isReached && to > 1 ? { page: String(to), after: cursor, limit: String(limit) } : {})
    },
    goFirst: () => change({}),
    setLimit: (size) => {
      remember(sizeKey, String(size))
      change({ limit: String(size) }, stays)
    },
  }
}

function numberOf(text: string | undefined): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text ?? '') ? Number(text) : undefined
}

const sizeOf = (text: string | undefined) => pageSizes.find((size) => String(size) === text)
