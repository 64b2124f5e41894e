import type { ReactNode } from 'react'
import { Button } from '../ui/Button.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard, type Failure } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { formatDay } from './audit-changes.ts'
import { type AuditItem, EventItem } from './EventItem.tsx'

interface AuditTimelineProps {
  /** Newest first. */
  items: AuditItem[] | undefined
  /** Renders the event as a sentence with links. */
  sentence: (item: AuditItem) => ReactNode
  /** The id of the user whose activity this is: origins, and the changes of their own events, are shown on request. */
  subject?: string | undefined
  /** Whether origins are shown on request: on the page of a record. */
  isBrief?: boolean
  failure?: Failure | undefined
  onRetry?: () => void
  /** Loads earlier events; undefined at the end. */
  onMore?: (() => void) | undefined
  isLoadingMore?: boolean
  /** Shown without events, or if none match the filters. */
  empty?: ReactNode
}

/** Audit events grouped by day, newest first: on the audit page, and as Activity on the page of a record. */
export function AuditTimeline(props: AuditTimelineProps) {
  const {
    items,
    sentence,
    subject,
    isBrief = subject !== undefined,
    failure,
    onRetry,
    onMore,
    isLoadingMore = false,
    empty,
  } = props
  if (failure) return <ErrorCard failure={failure} {...(onRetry && { onRetry })} />
  if (!items) return <Skeleton label="Loading events" rows={6} rowClass="h-10" />
  if (items.length === 0) return empty ?? <Empty kind="nothing yet" title="No events yet" />
  const days = Map.groupBy(items, ({ at }) => formatDay(at))
  return (
    <>
      {[...days].map(([day, events]) => (
        <section key={day} aria-label={day} className="border-t border-hair">
          <h3 className="sticky top-13 z-[5] border-b border-hair bg-card px-4 py-2 font-[620] sm:px-[18px]">{day}</h3>
          <ol>
            {events.map((item) => (
              <EventItem key={item.id} item={item} sentence={sentence(item)} subject={subject} isBrief={isBrief} />
            ))}
          </ol>
        </section>
      ))}
      {onMore && (
        <div className="border-t border-hair px-4 py-3 sm:px-[18px]">
          <Button isSmall isBusy={isLoadingMore} onClick={onMore}>
            Show earlier events
          </Button>
        </div>
      )}
    </>
  )
}
