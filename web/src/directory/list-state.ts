import { useNavigate, useSearch } from '@tanstack/react-router'
import { loadChoice, storeChoice } from '../app/stored-choice.ts'
import { parseNextCursor } from './list-cursor.ts'

/** The allowed values of a filter; `true` for any text, such as an id. */
export type Filters = Record<string, readonly string[] | true>
type FilterValues<F extends Filters> = { [K in keyof F]?: F[K] extends readonly (infer V)[] ? V : string }
type Sort<S extends string> = S | `-${S}`

/** The query of a list endpoint: spread it into the query of the call. */
export type ListQuery<F extends Filters, S extends string> = {
  limit: number
  page: number
  after?: string
  query?: string
  sort?: Sort<S>
} & FilterValues<F>

/** The state of a list in the URL, and its setters. */
export interface ListState<F extends Filters = Filters, S extends string = string> {
  searchText: string
  filters: FilterValues<F>
  sort: Sort<S> | undefined
  page: number
  limit: number
  query: ListQuery<F, S>
  /** Whether a search or a filter is active. */
  isFiltered: boolean
  search(searchText: string): void
  filter(name: keyof F & string, value: string | undefined): void
  /** Sets the order; an empty string restores the default order. */
  sortBy(order: Sort<S> | ''): void
  /** Removes the search and the filters. */
  clear(): void
  /** Opens the page of `next` from a response. */
  goNext(next: string): void
  goBack(): void
  goFirst(): void
  setLimit(limit: number): void
}

export const pageSizes = [25, 50, 100, 200]
const maxOffset = 10_000
const sizeKey = 'passport.page-size'

/** The cursor of each visited page, so that Previous need not count rows from the start. Cleared on reload. */
const cursors = new Map<string, string>()

const findKnown = <T extends string>(values: readonly T[], value: string | undefined) =>
  values.find((candidate) => candidate === value)

/**
 * The state of a list, kept only in the URL: `?q=ana&status=active&sort=-created&page=2`. Typing replaces the history
 * entry, any other change adds one. Unknown values are ignored.
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
  const readParam = (name: string) =>
    typeof search[name] === 'string' && search[name] !== '' ? search[name] : undefined

  const searchText = readParam('q') ?? ''
  const filters = Object.fromEntries(
    Object.entries(filterable).flatMap(([name, values]) => {
      const value = values === true ? readParam(name) : findKnown(values, readParam(name))
      return value === undefined ? [] : [[name, value]]
    }),
  ) as FilterValues<F>
  const sort = findKnown(
    sorts.flatMap((column): Sort<S>[] => [column, `-${column}`]),
    readParam('sort'),
  )
  const page = parsePageNumber(readParam('page')) ?? 1
  const limit = parseSize(readParam('limit')) ?? parseSize(loadChoice(sizeKey) ?? undefined) ?? 25
  const after = page > 1 ? readParam('after') : undefined
  const query = {
    limit,
    page,
    ...(after !== undefined && { after }),
    ...(searchText !== '' && { query: searchText }),
    ...(sort !== undefined && { sort }),
    ...filters,
  } as ListQuery<F, S>

  const listKey = JSON.stringify([location.pathname, searchText, filters, sort, limit])
  if (after !== undefined) cursors.set(`${listKey} ${page}`, after)

  /** Changes the given parameters and keeps all others. */
  const change = (
    changes: Record<string, string | undefined>,
    options: { replace?: boolean; resetScroll?: boolean } = {},
  ) =>
    void navigate({
      to: '.',
      search: ((old: Record<string, unknown>) => ({ ...old, page: undefined, after: undefined, ...changes })) as never,
      ...options,
    })
  const keepScroll = { resetScroll: false }

  return {
    searchText,
    filters,
    sort,
    page,
    limit,
    query,
    isFiltered: searchText !== '' || Object.keys(filters).length > 0,
    search: (text) => change({ q: text || undefined }, { replace: true, ...keepScroll }),
    filter: (name, value) => change({ [name]: value || undefined }, keepScroll),
    sortBy: (order) => change({ sort: order || undefined }, keepScroll),
    clear: () =>
      change(
        { q: undefined, ...Object.fromEntries(Object.keys(filterable).map((name) => [name, undefined])) },
        keepScroll,
      ),
    goNext: (next) => {
      change({ page: String(page + 1), after: parseNextCursor(next), limit: String(limit) })
    },
    goBack: () => {
      const to = page - 1
      const cursor = cursors.get(`${listKey} ${to}`)
      const canSkip = cursor !== undefined || (to - 1) * limit < maxOffset
      change(canSkip && to > 1 ? { page: String(to), after: cursor, limit: String(limit) } : {})
    },
    goFirst: () => change({}),
    setLimit: (size) => {
      storeChoice(sizeKey, String(size))
      change({ limit: String(size) }, keepScroll)
    },
  }
}

/** Converts the order of a URL, such as `-name`, to the parameters of a list endpoint. */
export const toSorting = <S extends string>(order: Sort<S> | undefined): { sort?: S; direction?: 'asc' | 'desc' } =>
  order === undefined ? {} : { sort: order.replace('-', '') as S, direction: order.startsWith('-') ? 'desc' : 'asc' }

function parsePageNumber(text: string | undefined): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text ?? '') ? Number(text) : undefined
}

const parseSize = (text: string | undefined) => pageSizes.find((size) => String(size) === text)
