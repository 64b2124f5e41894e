import type { ObjectReference, SubjectReference } from '@passport/contract/permission-terms'
import { lookUpResources, lookUpSubjects } from '@passport/contract/permissions'
import { infiniteQueryOptions } from '@tanstack/react-query'
import { call } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import type { CheckQuestion } from '../permissions/check-search.ts'
import { mergeLists } from '../permissions/merge-lists.ts'
import type { SubjectType } from './lookup-search.ts'

/** A result of a lookup: a resource or a subject. `*` is every object of the type except `excluded`. */
export interface LookupItem {
  id: string
  permissionship: 'hasPermission' | 'conditional'
  partialCaveatMissing: string[]
  excluded?: Omit<LookupItem, 'excluded'>[]
}

/** A lookup: loads its pages, and converts a result to the question of a check. */
export interface Lookup {
  key: readonly unknown[]
  load: (paging: { limit: number; cursor?: string }, signal: AbortSignal) => Promise<Page>
  toQuestion: (id: string) => CheckQuestion
}

/** The results of one type: a lookup for each permission, and in a comparison a second one. */
export interface ResultTable {
  /** The type of the results; for usersets, with the relation. */
  resultType: SubjectType
  columns: { permission: string; left: Lookup; right: Lookup | undefined }[]
}

interface Page {
  items: LookupItem[]
  cursor: string | null
  hasCycle: boolean
  leftOut?: number
}

/** The optional parts of the question: context, consistency and what-if changes. */
export type EvaluationOptions = Pick<CheckQuestion, 'context' | 'consistency' | 'whatIf'>

/** The service's maximum. Each page repeats the whole evaluation, so small pages would be slow. */
const pageSize = 1000

/** Returns the lookup of the resources of a type on which a subject has the permission. */
export function createResourceLookup(
  subject: SubjectReference,
  type: string,
  permission: string,
  options: EvaluationOptions,
): Lookup {
  const request = { resourceType: type, permission, subject, ...options }
  return {
    key: [lookUpResources.path, { body: { ...request, limit: pageSize } }],
    load: (paging, signal) => call(lookUpResources, { body: { ...request, ...paging } }, { signal }),
    toQuestion: (id) => ({ resource: { type, id }, permission, subject, ...options }),
  }
}

/** Returns the lookup of the subjects of a type with the permission on a resource. */
export function createSubjectLookup(
  resource: ObjectReference,
  { type, relation }: SubjectType,
  permission: string,
  options: EvaluationOptions,
): Lookup {
  const relationFilter = relation === undefined ? {} : { subjectRelation: relation }
  const request = { resource, permission, subjectType: type, ...relationFilter, ...options }
  return {
    key: [lookUpSubjects.path, { body: { ...request, limit: pageSize } }],
    load: (paging, signal) => call(lookUpSubjects, { body: { ...request, ...paging } }, { signal }),
    toQuestion: (id) => ({ resource, permission, subject: { type, id, ...(relation && { relation }) }, ...options }),
  }
}

/** The cursor of the page to load next for each lookup: empty for the first page, undefined to load none. */
type NextCursors = (string | undefined)[]
/** The page or the error of each lookup that was loaded in one step; undefined for the other lookups. */
type Step = (Page | { error: unknown } | undefined)[]

export const listLookups = ({ columns }: ResultTable): Lookup[] =>
  columns.flatMap(({ left, right }) => (right ? [left, right] : [left]))

const maxSharedColumns = 4

/** Returns the number of columns for permissions in tables of one page; a table with more has columns of its own. */
export const countSharedColumns = (tables: readonly ResultTable[]): number =>
  Math.max(0, ...tables.map(({ columns }) => columns.length).filter((count) => count <= maxSharedColumns))

/** Loads one page of each lookup with a cursor. A failed lookup does not affect the others. */
const loadStep = (lookups: readonly Lookup[], cursors: NextCursors, signal: AbortSignal): Promise<Step> =>
  Promise.all(
    cursors.map(async (cursor, index) => {
      if (cursor === undefined) return undefined
      try {
        return await lookups[index]?.load({ limit: pageSize, ...(cursor && { cursor }) }, signal)
      } catch (error) {
        if (signal.aborted) throw error
        return { error }
      }
    }),
  )

/** Returns the pages and items of each lookup. A failed one keeps its earlier items, and has an error and no cursor. */
export const listPages = (count: number, steps: readonly Step[]) =>
  Array.from({ length: count }, (_, index) => {
    const loaded = steps.flatMap((step) => step[index] ?? [])
    const pages = loaded.flatMap((page) => ('error' in page ? [] : [page]))
    const failure = loaded.find((page) => 'error' in page)
    const items = pages.flatMap((page) => page.items)
    return { pages, items, cursor: failure ? null : (pages.at(-1)?.cursor ?? null), failure }
  })

/** Merges the loaded items of the lookups. */
export const mergePages = (lists: ReturnType<typeof listPages>) =>
  mergeLists(lists.map(({ items, cursor }) => ({ items, hasMore: cursor !== null })))

/** Returns the cursors of the next step; undefined if all pages are loaded. */
function findNextCursors(count: number, steps: readonly Step[]): NextCursors | undefined {
  const lists = listPages(count, steps)
  const { needsPage } = mergePages(lists)
  return needsPage.includes(true)
    ? lists.map(({ cursor }, index) => (needsPage[index] && cursor) || undefined)
    : undefined
}

/** Queries a table in steps: each loads the next page of the lookups that have progressed least, by id. */
export function tableQuery(table: ResultTable) {
  const lookups = listLookups(table)
  return infiniteQueryOptions({
    queryKey: ['lookup', ...lookups.map(({ key }) => key)],
    queryFn: ({ pageParam, signal }) => loadStep(lookups, pageParam, signal),
    initialPageParam: lookups.map(() => '') as NextCursors,
    getNextPageParam: (_, steps) => findNextCursors(lookups.length, steps),
    retry: false,
  })
}

/**
 * Loads the remaining pages and returns the merged rows. Calls `onProgress` with the number of results in the cached
 * pages, and then in each step. Throws the error of a failed lookup.
 */
export async function loadAllResults(table: ResultTable, onProgress: (count: number) => void, signal: AbortSignal) {
  const lookups = listLookups(table)
  const cached = queryClient.getQueryData(tableQuery(table).queryKey)?.pages ?? []
  const steps = cached.some((step) => step.some((page) => page && 'error' in page)) ? [] : [...cached]
  const report = (all: readonly Step[]) =>
    onProgress(listPages(lookups.length, all).reduce((sum, { items }) => sum + items.length, 0))
  report(steps)
  let cursors = steps.length === 0 ? lookups.map(() => '') : findNextCursors(lookups.length, steps)
  while (cursors) {
    const step = await loadStep(lookups, cursors, signal)
    signal.throwIfAborted()
    for (const page of step) if (page && 'error' in page) throw page.error
    steps.push(step)
    report([step])
    cursors = findNextCursors(lookups.length, steps)
  }
  return mergePages(listPages(lookups.length, steps)).rows
}
