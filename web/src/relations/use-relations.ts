import type { ObjectReference, Relationship } from '@passport/contract/permission-terms'
import { listRelationships } from '@passport/contract/permissions'
import { printRelationship } from '@passport/permissions'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call, toFailure } from '../app/api.ts'
import { parseObject, printReference } from '../permissions/reference.ts'
import type { Failure } from '../ui/ErrorCard.tsx'
import { parseDepth, parseOpen, type RelationSearch, toExpiryFilter, toFilter } from './relation-search.ts'

/** A row of the viewer: a relationship that matches the filter, or one that was followed from a match. */
export interface ShownRelationship {
  /** The relationship as text, without its condition. */
  key: string
  relationship: Relationship
  isFollowed: boolean
}

export interface Relations {
  rows: ShownRelationship[]
  isPending: boolean
  failure: Failure | undefined
  retry: () => void
  /** Loads further matches; undefined if all are loaded. */
  loadMore: (() => void) | undefined
  isLoadingMore: boolean
  /** Whether some relationships were not followed because of a limit. */
  isCut: boolean
}

const pageSize = 1000
/** The maximum of followed objects: each needs a request. */
const maxFollowed = 60
const pageSizePerObject = 100

/** Loads the relationships that match the URL, those followed to its depth, and those of expanded objects. */
export function useRelations(search: RelationSearch, canFollow: (type: string) => boolean): Relations {
  const filter = { ...toFilter(search), ...toExpiryFilter(search) }
  const base = useInfiniteQuery({
    queryKey: [listRelationships.path, { query: { ...filter, limit: pageSize } }],
    queryFn: ({ pageParam, signal }) =>
      call(
        listRelationships,
        { query: { ...filter, limit: pageSize, ...(pageParam !== undefined && { cursor: pageParam }) } },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor ?? undefined,
    retry: false,
  })
  const matching = useMemo(() => base.data?.pages.flatMap(({ items }) => items) ?? [], [base.data])
  const depth = parseDepth(search)
  const expanded = parseOpen(search)
  const followed = useQuery({
    queryKey: [listRelationships.path, 'followed', depth, expanded, base.dataUpdatedAt, matching.length],
    queryFn: ({ signal }) => loadFollowed(matching, { depth, expanded, canFollow }, signal),
    enabled: base.data !== undefined && (depth > 1 || expanded.length > 0),
    placeholderData: (before) => before,
    retry: false,
  })
  const isFollowing = depth > 1 || expanded.length > 0
  const rows = useMemo(
    () => toRows(matching, isFollowing ? (followed.data?.followedRelationships ?? []) : []),
    [matching, followed.data, isFollowing],
  )
  const failure = base.error ?? followed.error
  return {
    rows,
    isPending: base.isPending,
    failure: failure ? toFailure(failure) : undefined,
    retry: () =>
      void (base.isFetchNextPageError ? base.fetchNextPage() : Promise.all([base.refetch(), followed.refetch()])),
    loadMore: base.hasNextPage ? () => void base.fetchNextPage() : undefined,
    isLoadingMore: base.isFetchingNextPage || followed.isFetching,
    isCut: isFollowing && followed.data?.isCut === true,
  }
}

/** Returns the key of a row: no two stored relationships differ only in condition or expiry. */
export const keyOf = ({ resource, relation, subject }: Relationship): string =>
  printRelationship({ resource, relation, subject })

function toRows(matching: Relationship[], followedRelationships: Relationship[]): ShownRelationship[] {
  const rows = new Map<string, ShownRelationship>()
  const add = (isFollowed: boolean) => (relationship: Relationship) => {
    const key = keyOf(relationship)
    if (!rows.has(key)) rows.set(key, { key, relationship, isFollowed })
  }
  matching.forEach(add(false))
  followedRelationships.forEach(add(true))
  return [...rows.values()]
}

interface FollowOptions {
  depth: number
  expanded: string[]
  canFollow: (type: string) => boolean
}

/** Loads both sides of expanded objects, and the relationships of subjects level by level. */
async function loadFollowed(
  matching: Relationship[],
  { depth, expanded, canFollow }: FollowOptions,
  signal: AbortSignal,
): Promise<{ followedRelationships: Relationship[]; isCut: boolean }> {
  let isCut = false
  const read = async (query: Record<string, string>) => {
    const { items, cursor } = await call(
      listRelationships,
      { query: { ...query, limit: pageSizePerObject } },
      { signal },
    )
    isCut ||= cursor !== null
    return items
  }
  const loadAsResource = ({ type, id }: ObjectReference) => read({ resourceType: type, resourceId: id })
  const loadAsSubject = ({ type, id }: ObjectReference) => read({ subjectType: type, subjectId: id })

  const objects = expanded.flatMap((text) => parseObject(text) ?? [])
  const followedRelationships = (
    await Promise.all(objects.flatMap((object) => [loadAsResource(object), loadAsSubject(object)]))
  ).flat()
  const seen = new Set(expanded)
  let level = matching
  for (let depthReached = 1; depthReached < depth; depthReached++) {
    const next = new Map(
      level
        .filter(({ subject }) => subject.id !== '*' && canFollow(subject.type))
        .map(({ subject: { type, id } }) => [printReference({ type, id }), { type, id }] as const)
        .filter(([text]) => !seen.has(text)),
    )
    const nextObjects = [...next].slice(0, Math.max(0, maxFollowed - seen.size))
    isCut ||= nextObjects.length < next.size
    for (const [text] of nextObjects) seen.add(text)
    level = (await Promise.all(nextObjects.map(([, object]) => loadAsResource(object)))).flat()
    followedRelationships.push(...level)
  }
  return { followedRelationships, isCut }
}
