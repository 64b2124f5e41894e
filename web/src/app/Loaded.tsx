import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { failureOf } from './api.ts'

interface LoadedProps<T> {
  query: UseQueryResult<T>
  /** What is said while it loads. */
  label: string
  /** The measure of what is being loaded. */
  rows: number
  rowClass?: string
  children: (data: T) => ReactNode
}

/** What a query has loaded, in a card; bars before that. A failure comes with a way to try again, above what was there. */
export function Loaded<T>({ query: { data, error, refetch }, children, ...bars }: LoadedProps<T>) {
  return (
    <>
      {error && (
        <div className="px-5 pb-5">
          <ErrorCard failure={failureOf(error)} onRetry={refetch} />
        </div>
      )}
      {data === undefined && !error && <Skeleton {...bars} />}
      {data !== undefined && children(data)}
    </>
  )
}
