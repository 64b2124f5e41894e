import { ApiError } from '@passport/contract/call'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { failureOf } from '../app/api.ts'
import { buttonClass } from '../ui/Button.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Seal } from '../ui/Seal.tsx'
import type { LinkTo } from './ListPage.tsx'

interface RecordQueryProps<T> {
  query: Pick<UseQueryResult<T>, 'data' | 'error' | 'isPending' | 'refetch'>
  /** What it is: “user”. */
  kind: string
  /** The list to go back to. */
  back: LinkTo & { label: string }
  children: (record: T) => ReactNode
}

/** A record that is being loaded: its page, or what stands for it while it is on its way, not there, or not to be had. */
export function RecordQuery<T>({ query, kind, back, children }: RecordQueryProps<T>) {
  if (query.data !== undefined) return children(query.data)
  if (query.error instanceof ApiError && query.error.status === 404)
    return (
      <div className="mx-auto grid max-w-md justify-items-center gap-3 py-16 text-center">
        <Seal seed="no match" size={88} isFoil />
        <h1>There is no such {kind}</h1>
        <p className="text-ink2">It may have been deleted, or it is not for you to see.</p>
        <Link to={back.to} params={back.params as never} className={buttonClass()}>
          {back.label}
        </Link>
      </div>
    )
  if (query.error) return <ErrorCard failure={failureOf(query.error)} onRetry={() => void query.refetch()} />
  return <Loading kind={kind} />
}

function Loading({ kind }: { kind: string }) {
  return (
    <div aria-busy="true">
      <span className="sr-only">Loading {kind}</span>
      <div className="skeleton mb-3 h-5 w-16" />
      <div className="flex items-center gap-4">
        <div className="skeleton size-15 rounded-full!" />
        <div>
          <div className="skeleton h-8 w-56" />
          <div className="skeleton mt-2 h-5 w-72 max-w-full" />
        </div>
      </div>
      <div className="skeleton mt-10 h-72 max-w-[760px]" />
    </div>
  )
}
