import type { Consistency, ObjectReference, SubjectReference, WhatIf } from '@passport/contract/permission-terms'
import { lookUpResources, lookUpSubjects } from '@passport/contract/permissions'
import { infiniteQueryOptions, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call, toFailure } from '../app/api.ts'
import type { TimedQuestion } from '../permissions/check-search.ts'
import type { Failure } from '../ui/ErrorCard.tsx'
import type { LookupTarget, SubjectType } from './lookup-search.ts'

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
  /** The type of the results; for sets with the relation. */
  resultType: SubjectType
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<Page>
  toQuestion: (id: string) => TimedQuestion
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

/** The service's maximum: each page repeats the whole evaluation. */
const pageSize = 1000

/** Looks up the resources on which a subject has the permission. */
export function resourceLookup(subject: SubjectReference, { type, permission }: LookupTarget, terms: Terms): Lookup {
  const request = { resourceType: type, permission, subject, ...terms }
  return {
    key: [lookUpResources.path, request],
    resultType: { type },
    load: (cursor, signal) =>
      call(
        lookUpResources,
        { body: { ...request, limit: pageSize, ...(cursor !== undefined && { cursor }) } },
        { signal },
      ),
    toQuestion: (id) => ({ resource: { type, id }, permission, subject, ...terms }),
  }
}

/** Looks up the subjects with the permission on a resource. */
export function subjectLookup(
  resource: ObjectReference,
  permission: string,
  resultType: SubjectType,
  terms: Terms,
): Lookup {
  const { type, relation } = resultType
  const request = {
    resource,
    permission,
    subjectType: type,
    ...(relation !== undefined && { subjectRelation: relation }),
    ...terms,
  }
  return {
    key: [lookUpSubjects.path, request],
    resultType,
    load: (cursor, signal) =>
      call(
        lookUpSubjects,
        { body: { ...request, limit: pageSize, ...(cursor !== undefined && { cursor }) } },
        { signal },
      ),
    toQuestion: (id) => ({ resource, permission, subject: { ...resultType, id }, ...terms }),
  }
}

/** The pages of a lookup, cached by its key. */
export const lookupQuery = ({ key, load }: Lookup) =>
  infiniteQueryOptions({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => load(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor ?? undefined,
    retry: false,
  })

/** The results of a lookup so far. */
export interface LookupItems {
  items: LookupItem[]
  hasMore: boolean
  isPending: boolean
  isLoadingMore: boolean
  hasCycle: boolean
  /** The work behind the newest page; undefined if the engine does not count it. */
  visited: number | undefined
  hasSeveralPages: boolean
  /** The number of stored relationships that do not fit the supposed schema. */
  leftOut: number
  failure: Failure | undefined
  loadMore: () => void
  /** Cancels the page being read. */
  stop: () => void
  retry: () => void
}

const noItems: LookupItems = {
  items: [],
  hasMore: false,
  isPending: false,
  isLoadingMore: false,
  hasCycle: false,
  visited: undefined,
  hasSeveralPages: false,
  leftOut: 0,
  failure: undefined,
  loadMore: () => {},
  stop: () => {},
  retry: () => {},
}

/** Reads a lookup page by page; without one, the list is empty. */
export function useLookupItems(lookup: Lookup | undefined): LookupItems {
  const queries = useQueryClient()
  const request = lookup ?? { key: ['no lookup'], load: () => Promise.reject(new Error('asked for nothing')) }
  const pagesQuery = useInfiniteQuery({ ...lookupQuery(request as Lookup), enabled: lookup !== undefined })
  const items = useMemo(() => pagesQuery.data?.pages.flatMap(({ items }) => items) ?? [], [pagesQuery.data])
  if (!lookup) return noItems
  const pages = pagesQuery.data?.pages ?? []
  return {
    items,
    hasMore: pagesQuery.hasNextPage,
    isPending: pagesQuery.isPending,
    isLoadingMore: pagesQuery.isFetchingNextPage,
    hasCycle: pages.some(({ hasCycle }) => hasCycle),
    visited: pages.at(-1)?.visited,
    hasSeveralPages: pages.length > 1,
    leftOut: pages[0]?.leftOut ?? 0,
    failure: pagesQuery.error ? toFailure(pagesQuery.error) : undefined,
    loadMore: () => void pagesQuery.fetchNextPage({ cancelRefetch: false }),
    stop: () => void queries.cancelQueries({ queryKey: lookup.key, exact: true }),
    retry: () => void (pagesQuery.isFetchNextPageError ? pagesQuery.fetchNextPage() : pagesQuery.refetch()),
  }
}
