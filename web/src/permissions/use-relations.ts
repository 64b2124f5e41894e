import type { ObjectReference, Relationship } from '@passport/contract/permission-terms'
import { listRelationships } from '@passport/contract/permissions'
import { printRelationship } from '@passport/permissions/relationship-text'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call, failureOf } from '../app/api.ts'
import type { Failure } from '../ui/ErrorCard.tsx'
import { printReference, readObject } from './reference.ts'
import { depthIn, expiresBefore, filterIn, openIn, type RelationSearch } from './relation-search.ts'

/** A relationship as it is shown: one that fits the filter, or one that was come upon from there. */
export interface ShownRelationship {
  key: string
  relationship: Relationship
  isFollowed: boolean
}

export interface Relations {
  rows: ShownRelationship[]
  isPending: boolean
  failure: Failure | undefined
  retry: () => void
  /** Loads further ones that fit; absent where all are there. */
  more: (() => void) | undefined
  isLoadingMore: boolean
  /** That not everything was followed that could have been. */
  isCut: boolean
}

const pageSize = 1000
/** Of how many objects the relationships are read besides: each is a call. */
const mostFollowed = 60
const ofOne = 100

/** The relationships that fit the address, and those that lead on from them as deep as it says. Every view shows these. */
export function useRelations(search: RelationSearch, canLeadOn: (type: string) => boolean): Relations {
  const filter = { ...filterIn(search), ...expiresBefore(search) }
  const base = useInfiniteQuery({
    queryKey: [listRelationships.path, filter],
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
  const fitting = useMemo(() => base.data?.pages.flatMap(({ items }) => items) ?? [], [base.data])
  const depth = depthIn(search)
  const opened = openIn(search)
  const followed = useQuery({
    queryKey: [listRelationships.path, 'followed', depth, opened, base.dataUpdatedAt, fitting.length],
    queryFn: ({ signal }) => follow(fitting, { depth, opened, canLeadOn }, signal),
    enabled: base.data !== undefined && (depth > 1 || opened.length > 0),
    placeholderData: (before) => before,
    retry: false,
  })
  const isFollowing = depth > 1 || opened.length > 0
  const rows = useMemo(
    () => rowsOf(fitting, isFollowing ? (followed.data?.found ?? []) : []),
    [fitting, followed.data, isFollowing],
  )
  const failure = base.error ?? followed.error
  return {
    rows,
    isPending: base.isPending,
    failure: failure ? failureOf(failure) : undefined,
    retry: () =>
      void (base.isFetchNextPageError ? base.fetchNextPage() : Promise.all([base.refetch(), followed.refetch()])),
    more: base.hasNextPage ? () => void base.fetchNextPage() : undefined,
    isLoadingMore: base.isFetchingNextPage || followed.isFetching,
    isCut: isFollowing && followed.data?.isCut === true,
  }
}

/** What names a relationship among others: no two differ in their conditions alone. */
export const keyOf = ({ resource, relation, subject }: Relationship): string =>
  printRelationship({ resource, relation, subject })

function rowsOf(fitting: Relationship[], found: Relationship[]): ShownRelationship[] {
  const rows = new Map<string, ShownRelationship>()
  const add = (isFollowed: boolean) => (relationship: Relationship) => {
    const key = keyOf(relationship)
    if (!rows.has(key)) rows.set(key, { key, relationship, isFollowed })
  }
  fitting.forEach(add(false))
  found.forEach(add(true))
  return [...rows.values()]
}

interface Following {
  depth: number
  opened: string[]
  canLeadOn: (type: string) => boolean
}

/** What stands in what is found, level by level, and both sides of what was opened. */
async function follow(
  fitting: Relationship[],
  { depth, opened, canLeadOn }: Following,
  signal: AbortSignal,
): Promise<{ found: Relationship[]; isCut: boolean }> {
  let isCut = false
  const read = async (query: Record<string, string>) => {
    const { items, cursor } = await call(listRelationships, { query: { ...query, limit: ofOne } }, { signal })
    isCut ||= cursor !== null
    return items
  }
  const into = ({ type, id }: ObjectReference) => read({ resourceType: type, resourceId: id })
  const from = ({ type, id }: ObjectReference) => read({ subjectType: type, subjectId: id })

  const objects = opened.flatMap((text) => readObject(text) ?? [])
  const found = (await Promise.all(objects.flatMap((one) => [into(one), from(one)]))).flat()
  const seen = new Set(opened)
  let level = fitting
  for (let at = 1; at < depth; at++) {
    const next = new Map(
      level
        .filter(({ subject }) => subject.id !== '*' && canLeadOn(subject.type))
        .map(({ subject: { type, id } }) => [printReference({ type, id }), { type, id }] as const)
        .filter(([text]) => !seen.has(text)),
    )
    const asked = [...next].slice(0, Math.max(0, mostFollowed - seen.size))
    isCut ||= asked.length < next.size
    for (const [text] of asked) seen.add(text)
    level = (await Promise.all(asked.map(([, object]) => into(object)))).flat()
    found.push(...level)
  }
  return { found, isCut }
}
