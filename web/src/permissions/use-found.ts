import type { ObjectReference, Question, SubjectReference } from '@passport/contract/permission-terms'
import { lookUpResources, lookUpSubjects } from '@passport/contract/permissions'
import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query'
import { call, failureOf } from '../app/api.ts'
import type { Failure } from '../ui/ErrorCard.tsx'
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
  questionOf: (id: string) => Question
}

interface Page {
  items: Found[]
  cursor: string | null
  hasCycle: boolean
}

interface Context {
  context?: Record<string, unknown>
}

const pageSize = 50

/** What a subject has the permission for. */
export function resourcesOf(subject: SubjectReference, { type, permission }: Asked, context: Context): Lookup {
  const asked = { resourceType: type, permission, subject, ...context }
  return {
    key: [lookUpResources.path, asked],
    found: { type },
    load: (cursor, signal) =>
      call(
        lookUpResources,
        { body: { ...asked, limit: pageSize, ...(cursor !== undefined && { cursor }) } },
        { signal },
      ),
    questionOf: (id) => ({ resource: { type, id }, permission, subject, ...context }),
  }
}

/** Who has the permission for a resource. */
export function subjectsOf(
  resource: ObjectReference,
  permission: string,
  found: SubjectType,
  context: Context,
): Lookup {
  const { type, relation } = found
  const asked = {
    resource,
    permission,
    subjectType: type,
    ...(relation !== undefined && { subjectRelation: relation }),
    ...context,
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
    questionOf: (id) => ({ resource, permission, subject: { ...found, id }, ...context }),
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
  failure: Failure | undefined
  more: () => void
  retry: () => void
}

const nothing: FoundList = {
  items: [],
  isMore: false,
  isPending: false,
  isLoadingMore: false,
  hasCycle: false,
  failure: undefined,
  more: () => {},
  retry: () => {},
}

/** Asks a lookup, page by page; where there is none to ask, nothing is found. */
export function useFound(lookup: Lookup | undefined): FoundList {
  const asked = lookup ?? { key: ['no lookup'], load: () => Promise.reject(new Error('asked for nothing')) }
  const found = useInfiniteQuery({ ...foundQuery(asked as Lookup), enabled: lookup !== undefined })
  if (!lookup) return nothing
  const pages = found.data?.pages ?? []
  return {
    items: pages.flatMap(({ items }) => items),
    isMore: found.hasNextPage,
    isPending: found.isPending,
    isLoadingMore: found.isFetchingNextPage,
    hasCycle: pages.some(({ hasCycle }) => hasCycle),
    failure: found.error ? failureOf(found.error) : undefined,
    more: () => void found.fetchNextPage(),
    retry: () => void (found.isFetchNextPageError ? found.fetchNextPage() : found.refetch()),
  }
}
