import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { toFailure } from './api.ts'

interface LoadedProps<T> {
  query: UseQueryResult<T>
  /** Announced to screen readers while loading. */
  label: string
  /** The number of placeholder bars. */
  rows: number
  rowClass?: string
  children: (data: T) => ReactNode
}

/**
 * Renders the result of a query in a card, with placeholder bars while loading. A failure shows a retry button above
 * earlier content.
 */
export function Loaded<T>({ query: { data, error, refetch }, children, ...skeletonProps }: LoadedProps<T>) {
  return (
    <>
      {error && (
        <div className="px-5 pb-5">
          <ErrorCard failure={toFailure(error)} onRetry={refetch} />
        </div>
      )}
      {data === undefined && !error && <Skeleton {...skeletonProps} />}
      {data !== undefined && children(data)}
    </>
  )
}
