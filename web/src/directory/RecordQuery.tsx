import { ApiError } from '@passport/contract/call'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { toFailure } from '../app/api.ts'
import { buttonClass } from '../ui/Button.tsx'
import { capitalize } from '../ui/capitalize.ts'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Sheet } from '../ui/Sheet.tsx'
import type { LinkTo } from './list-page.ts'

interface RecordQueryProps<T> {
  query: Pick<UseQueryResult<T>, 'data' | 'error' | 'isPending' | 'refetch'>
  /** The kind of record: “user”. */
  kind: string
  /** The list to return to. */
  back: LinkTo & { label: string }
  children: (record: T) => ReactNode
}

/** Renders a record once loaded, or its placeholder, “not found” page or error. */
export function RecordQuery<T>({ query, kind, back, children }: RecordQueryProps<T>) {
  if (query.data !== undefined) return children(query.data)
  if (query.error instanceof ApiError && query.error.status === 404)
    return (
      <Sheet seed="no match" title={`${capitalize(kind)} not found`}>
        <p className="text-ink2">It may have been deleted, or you don't have access.</p>
        <Link to={back.to} params={back.params as never} className={`${buttonClass('primary')} mt-6 h-11 w-full`}>
          Go to {back.label.toLowerCase()}
        </Link>
      </Sheet>
    )
  if (query.error) return <ErrorCard failure={toFailure(query.error)} onRetry={() => void query.refetch()} />
  return <Loading kind={kind} />
}

function Loading({ kind }: { kind: string }) {
  return (
    <div aria-busy="true">
      <span className="sr-only">Loading {kind}</span>
      <div className="skeleton mb-3 h-5 w-16 md:hidden" />
      <div className="flex items-center gap-4">
        <div className="skeleton size-15 rounded-full!" />
        <div>
          <div className="skeleton h-8 w-56" />
          <div className="skeleton mt-2 h-5 w-72 max-w-full" />
        </div>
      </div>
      <div className="mt-4 mb-6 h-10 shadow-[inset_0_-1px_0_var(--line)]" />
      <div className="cols">
        <div className="skeleton h-72" />
        <div className="skeleton h-44" />
      </div>
    </div>
  )
}
