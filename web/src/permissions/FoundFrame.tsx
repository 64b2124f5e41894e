import { type ReactNode, useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { ErrorCard, type Failure } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'

interface FoundFrameProps {
  title: string
  count: number
  isPending: boolean
  isMore: boolean
  isLoadingMore: boolean
  failure: Failure | undefined
  onMore: () => void
  onRetry: () => void
  /** A row for each that was found. */
  children: ReactNode
}

/** What was found for one permission: its rows, and more of them where there are. */
export function FoundFrame(props: FoundFrameProps) {
  const { title, count, isPending, isMore, isLoadingMore, failure, onMore, onRetry, children } = props
  const isThere = !isPending && !failure
  return (
    <section aria-label={title} className="rounded-box border border-line bg-card">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 px-5 py-3">
        <h3 className="font-mono text-[13.5px] font-[620] [overflow-wrap:anywhere]">{title}</h3>
        {isThere && (
          <p className="text-ink2">
            {count.toLocaleString('en')}
            {isMore && '+'}
          </p>
        )}
      </header>
      {isPending && !failure && <Skeleton label={`Looking up ${title}`} rows={2} rowClass="h-9" />}
      {count > 0 && <ul>{children}</ul>}
      {isThere && count === 0 && (
        <p className="border-t border-line px-5 py-3 text-ink2">{isMore ? 'None so far.' : 'Nothing.'}</p>
      )}
      {failure && (
        <div className="px-5 pb-5">
          <ErrorCard failure={failure} onRetry={onRetry} />
        </div>
      )}
      {isMore && isThere && (
        <div className="border-t border-line px-5 py-3">
          <Button isSmall isBusy={isLoadingMore} onClick={onMore}>
            Show more
          </Button>
        </div>
      )}
    </section>
  )
}

interface FoundLineProps {
  reference: string
  /** What stands beside the reference, such as its name. */
  beside: ReactNode
  verdict: ReactNode
  /** How it comes about; worked out when somebody asks. */
  path: () => ReactNode
}

/** One thing that was found, its verdict, and why. */
export function FoundLine({ reference, beside, verdict, path }: FoundLineProps) {
  const [isOpen, setOpen] = useState(false)
  const word = isOpen ? 'Hide why' : 'Why'
  return (
    <li className="border-t border-line px-5 py-2">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <div className="min-w-0 flex-1 basis-44">
          <p className="flex flex-wrap items-baseline gap-x-2">
            <code className="font-mono text-[13px] [overflow-wrap:anywhere]">{reference}</code>
            {beside}
          </p>
        </div>
        {verdict}
        <Button
          isSmall
          look="ghost"
          aria-expanded={isOpen}
          aria-label={`${word} ${reference}`}
          onClick={() => setOpen(!isOpen)}
        >
          {word}
        </Button>
      </div>
      {isOpen && <div className="mt-1 mb-2 rounded-ctl bg-well px-3 py-2.5">{path()}</div>}
    </li>
  )
}
