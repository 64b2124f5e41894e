import type { ReactNode } from 'react'
import { Button } from '../ui/Button.tsx'
import { ErrorCard, type Failure } from '../ui/ErrorCard.tsx'

interface ResultFrameProps {
  title: string
  count: number
  hasMore: boolean
  isLoadingMore: boolean
  failure: Failure | undefined
  onMore: () => void
  onRetry: () => void
  /** A row for each result. */
  children: ReactNode
}

/** The results for one permission, and a button for more. */
export function ResultFrame(props: ResultFrameProps) {
  const { title, count, hasMore, isLoadingMore, failure, onMore, onRetry, children } = props
  return (
    <section aria-label={title} className="rounded-box border border-line bg-card">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 px-5 py-3">
        <h3 className="font-mono text-[13.5px] font-[620] [overflow-wrap:anywhere]">{title}</h3>
        {!failure && (
          <p className="text-ink2">
            {count.toLocaleString('en')}
            {hasMore && '+'}
          </p>
        )}
      </header>
      {count > 0 && <ul>{children}</ul>}
      {!failure && count === 0 && (
        <p className="border-t border-line px-5 py-3 text-ink2">{hasMore ? 'No results so far' : 'No results'}</p>
      )}
      {failure && (
        <div className="px-5 pb-5">
          <ErrorCard failure={failure} onRetry={onRetry} />
        </div>
      )}
      {hasMore && !failure && (
        <div className="border-t border-line px-5 py-3">
          <Button isSmall isBusy={isLoadingMore} onClick={onMore}>
            Show more
          </Button>
        </div>
      )}
    </section>
  )
}
