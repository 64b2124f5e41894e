import type { Consistency, ObjectReference, SubjectReference, WhatIf } from '@passport/contract/permission-terms'
import { lookUpResources, lookUpSubjects } from '@passport/contract/permissions'
import { infiniteQueryOptions, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call, failureOf } from '../app/api.ts'
import type { Failure } from '../ui/ErrorCard.tsx'
import type { TimedQuestion } from './check-search.ts'
import type { Asked, SubjectType } from './lookup-search.ts'

/** What a lookup found: a resource, or a subject; `*` is everyone but those `excluded`. */
export interface Found {
  id: string
  permissionship: 'hasPermission' | 'conditional'
  partialCaveatMissing: string[]
  excluded?: Omit<Found, 'excluded'>[]
}

/** A lookup: how to load a page of it, and the question whose answer is one of its rows. */
export interface Lookup {
  key: readonly unknown[]
  /** The type of what is found; a kind of set has its relation. */
  found: SubjectType
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<Page>
  questionOf: (id: string) => TimedQuestion
}

interface Page {
  items: Found[]
  cursor: string | null
  hasCycle: boolean
  visited?: number
  leftOut?: number
}

/** What is asked besides: values for caveats, and of which moment. */
export interface Terms {
  context?: Record<string, unknown>
  consistency?: Consistency
  whatIf?: WhatIf
}

/** As many as the service gives at once: each page walks the whole way anew. */
const pageSize = 1000

/** What a subject has the permission for. */
export function resourcesOf(subject: SubjectReference, { type, permission }: Asked, terms: Terms): Lookup {
  const asked = { resourceType: type, permission, subject, ...terms }
  return {
    key: [lookUpResources.path, asked],
    found: { type },
    load: (cursor, signal) =>
      call(
        lookUpResources,
        { body: { ...asked, limit: pageSize, ...(cursor !== undefined && { cursor }) } },
        { signal },
      ),
    questionOf: (id) => ({ resource: { type, id }, permission, subject, ...terms }),
  }
}

/** Who has the permission for a resource. */
export function subjectsOf(resource: ObjectReference, permission: string, found: SubjectType, terms: Terms): Lookup {
  const { type, relation } = found
  const asked = {
    resource,
    permission,
    subjectType: type,
    ...(relation !== undefined && { subjectRelation: relation }),
    ...terms,
  }
  return {
    key: [lookUpSubjects.path, asked],
    found,
    load: (cursor, signal) =>
      call(
        lookUpSubjects,
        { body: { ...asked, limit: pageSize, ...(cursor !== undefined && { cursor }) } },
        { signal },
      ),
    questionOf: (id) => ({ resource, permission, subject: { ...found, id }, ...terms }),
  }
}

/** The pages of a lookup, in the cache by its key. */
export const foundQuery = ({ key, load }: Lookup) =>
  infiniteQueryOptions({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => load(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor ?? undefined,
    retry: false,
  })

/** What is known of a lookup so far. */
export interface FoundList {
  items: Found[]
  isMore: boolean
  isPending: boolean
  isLoadingMore: boolean
  hasCycle: boolean
  /** How much was looked at for the newest page; undefined where the engine cannot tell. */
  visited: number | undefined
  hasSeveralPages: boolean
  /** How many stored relationships do not fit the supposed schema. */
  leftOut: number
  failure: Failure | undefined
  more: () => void
  /** Gives up the page that is being read. */
  stop: () => void
  retry: () => void
}

const nothing: FoundList = {
  items: [],
  isMore: false,
  isPending: false,
  isLoadingMore: false,
  hasCycle: false,
  visited: undefined,
  hasSeveralPages: false,
  leftOut: 0,
  failure: undefined,
  more: () => {},
  stop: () => {},
  retry: () => {},
}

/** Asks a lookup, page by page; where there is none to ask, nothing is found. */
export function useFound(lookup: Lookup | undefined): FoundList {
  const queries = useQueryClient()
  const asked = lookup ?? { key: ['no lookup'], load: () => Promise.reject(new Error('asked for nothing')) }
  const found = useInfiniteQuery({ ...foundQuery(asked as Lookup), enabled: lookup !== undefined })
  const items = useMemo(() => found.data?.pages.flatMap(({ items }) => items) ?? [], [found.data])
  if (!lookup) return nothing
  const pages = found.data?.pages ?? []
  return {
    items,
    isMore: found.hasNextPage,
    isPending: found.isPending,
    isLoadingMore: found.isFetchingNextPage,
    hasCycle: pages.some(({ hasCycle }) => hasCycle),
    visited: pages.at(-1)?.visited,
    hasSeveralPages: pages.length > 1,
    leftOut: pages[0]?.leftOut ?? 0,
    failure: found.error ? failureOf(found.error) : undefined,
    more: () => void found.fetchNextPage({ cancelRefetch: false }),
    stop: () => void queries.cancelQueries({ queryKey: lookup.key, exact: true }),
    retry: () => void (found.isFetchNextPageError ? found.fetchNextPage() : found.refetch()),
  }
}
