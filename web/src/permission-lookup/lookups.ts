import type { Consistency, ObjectReference, SubjectReference, WhatIf } from '@passport/contract/permission-terms'
import { lookUpResources, lookUpSubjects } from '@passport/contract/permissions'
import { infiniteQueryOptions } from '@tanstack/react-query'
import { call } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import type { TimedQuestion } from '../permissions/check-search.ts'
import type { SubjectType } from './lookup-search.ts'
import { mergeLists } from './merge-lists.ts'

/** A result of a lookup: a resource, or a subject; `*` is everyone except `excluded`. */
export interface LookupItem {
  id: string
  permissionship: 'hasPermission' | 'conditional'
  partialCaveatMissing: string[]
  excluded?: Omit<LookupItem, 'excluded'>[]
}

/** A lookup: how to load a page, and the question for one of its rows. */
export interface Lookup {
  key: readonly unknown[]
  load: (paging: { limit: number; cursor?: string }, signal: AbortSignal) => Promise<Page>
  toQuestion: (id: string) => TimedQuestion
}

/** The results of one type: a lookup for each permission, and in a comparison a second one. */
export interface ResultTable {
  /** The type of the results; for sets with the relation. */
  resultType: SubjectType
  columns: { permission: string; left: Lookup; right: Lookup | undefined }[]
}

interface Page {
  items: LookupItem[]
  cursor: string | null
  hasCycle: boolean
  visited?: number
  leftOut?: number
}

/** Further parts of the question: context, consistency and supposition. */
export interface Terms {
  context?: Record<string, unknown>
  consistency?: Consistency
  whatIf?: WhatIf
}

/** Looks up the resources of a type on which a subject has the permission. */
export function resourceLookup(subject: SubjectReference, type: string, permission: string, terms: Terms): Lookup {
  const request = { resourceType: type, permission, subject, ...terms }
  return {
    key: [lookUpResources.path, request],
    load: (paging, signal) => call(lookUpResources, { body: { ...request, ...paging } }, { signal }),
    toQuestion: (id) => ({ resource: { type, id }, permission, subject, ...terms }),
  }
}

/** Looks up the subjects of a type with the permission on a resource. */
export function subjectLookup(
  resource: ObjectReference,
  { type, relation }: SubjectType,
  permission: string,
  terms: Terms,
): Lookup {
  const set = relation === undefined ? {} : { subjectRelation: relation }
  const request = { resource, permission, subjectType: type, ...set, ...terms }
  return {
    key: [lookUpSubjects.path, request],
    load: (paging, signal) => call(lookUpSubjects, { body: { ...request, ...paging } }, { signal }),
    toQuestion: (id) => ({ resource, permission, subject: { type, id, ...(relation && { relation }) }, ...terms }),
  }
}

/** The service's maximum: each page repeats the whole evaluation. */
const pageSize = 1000

/** For each lookup the cursor of the page to load, empty for the first; undefined if none is needed now. */
type Needs = (string | undefined)[]
/** The pages loaded together, or the errors instead. */
type Step = (Page | { error: unknown } | undefined)[]

export const listLookups = ({ columns }: ResultTable): Lookup[] =>
  columns.flatMap(({ left, right }) => (right ? [left, right] : [left]))

/** A failed lookup does not affect the others. */
const loadStep = (lookups: readonly Lookup[], needs: Needs, signal: AbortSignal): Promise<Step> =>
  Promise.all(
    needs.map(async (cursor, index) => {
      if (cursor === undefined) return undefined
      try {
        return await lookups[index]?.load({ limit: pageSize, ...(cursor && { cursor }) }, signal)
      } catch (error) {
        if (signal.aborted) throw error
        return { error }
      }
    }),
  )

/** Returns the pages of each lookup. A failed one has no items. */
export const listPages = (count: number, steps: readonly Step[]) =>
  Array.from({ length: count }, (_, index) => {
    const loaded = steps.flatMap((step) => step[index] ?? [])
    const pages = loaded.flatMap((page) => ('error' in page ? [] : [page]))
    const failed = loaded.find((page) => 'error' in page)
    const items = pages.flatMap((page) => page.items)
    return { pages, items, cursor: failed ? null : (pages.at(-1)?.cursor ?? null), failed }
  })

/** Merges what is known of the lookups. */
export const mergePages = (lists: ReturnType<typeof listPages>) =>
  mergeLists(lists.map(({ items, cursor }) => ({ items, hasMore: cursor !== null })))

function findNeeds(count: number, steps: readonly Step[]): Needs | undefined {
  const lists = listPages(count, steps)
  const { needs } = mergePages(lists)
  return needs.includes(true) ? lists.map(({ cursor }, index) => (needs[index] && cursor) || undefined) : undefined
}

/** The steps of a table: each loads the next page of the lookups that are known the least far. */
export function tableQuery(table: ResultTable) {
  const lookups = listLookups(table)
  return infiniteQueryOptions({
    queryKey: ['lookup', ...lookups.map(({ key }) => key)],
    queryFn: ({ pageParam, signal }) => loadStep(lookups, pageParam, signal),
    initialPageParam: lookups.map(() => '') as Needs,
    getNextPageParam: (_, steps) => findNeeds(lookups.length, steps),
    retry: false,
  })
}

/** Loads the remaining pages and returns the merged rows; reports the number of further results loaded. */
export async function loadAllRows(table: ResultTable, onRead: (count: number) => void, signal: AbortSignal) {
  const lookups = listLookups(table)
  const cached = queryClient.getQueryData(tableQuery(table).queryKey)?.pages ?? []
  const steps = cached.some((step) => step.some((page) => page && 'error' in page)) ? [] : [...cached]
  const report = (all: readonly Step[]) =>
    onRead(listPages(lookups.length, all).reduce((sum, { items }) => sum + items.length, 0))
  report(steps)
  let needs = steps.length === 0 ? lookups.map(() => '') : findNeeds(lookups.length, steps)
  while (needs) {
    const step = await loadStep(lookups, needs, signal)
    signal.throwIfAborted()
    for (const page of step) if (page && 'error' in page) throw page.error
    steps.push(step)
    report([step])
    needs = findNeeds(lookups.length, steps)
  }
  return mergePages(listPages(lookups.length, steps)).rows
}
