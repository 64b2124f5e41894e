import { type ReactNode, useState } from 'react'
import { useProviderName } from '../app/provider-names.ts'
import { Button } from '../ui/Button.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard, type Failure } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { type Change, describeField, describeReason, diffFields, formatDay } from './audit-changes.ts'
import { EventPicture } from './EventPicture.tsx'
import { LineChanges } from './LineChanges.tsx'

type Json = { [name: string]: unknown }

/** An audit event as shown in the timeline. */
export interface AuditItem {
  id: string
  at: string
  action: string
  /** Null for the system, or without a signed-in user. */
  actor: { id: string; name: string } | null
  target: { kind: string; id: string | null; name: string | null }
  before: Json | null
  after: Json | null
  /** Display names of ids in `before` and `after`. */
  names?: Record<string, string>
  reason: string | null
  ip: string | null
  userAgent: string | null
  traceId: string | null
}

interface AuditTimelineProps {
  /** Newest first. */
  items: AuditItem[] | undefined
  /** Renders the event as a sentence with links. */
  sentence: (item: AuditItem) => ReactNode
  failure?: Failure | undefined
  onRetry?: () => void
  /** Loads earlier events; undefined at the end. */
  onMore?: (() => void) | undefined
  isLoadingMore?: boolean
  /** Shown without events, or if none match the filters. */
  empty?: ReactNode
}

const timeFormat = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
})

/** Audit events grouped by day, newest first: on the audit page, and as Activity on the page of a record. */
export function AuditTimeline(props: AuditTimelineProps) {
  const { items, sentence, failure, onRetry, onMore, isLoadingMore = false, empty } = props
  if (failure) return <ErrorCard failure={failure} {...(onRetry && { onRetry })} />
  if (!items) return <Skeleton label="Loading events" rows={6} rowClass="h-10" />
  if (items.length === 0) return empty ?? <Empty kind="nothing yet" title="No events yet" />
  const days = Map.groupBy(items, ({ at }) => formatDay(at))
  return (
    <>
      {[...days].map(([day, events]) => (
        <section key={day} aria-label={day}>
          <h3 className="sticky top-13 z-[5] bg-card px-5 py-2 text-[13px] font-[560] text-ink2">{day}</h3>
          <ol>
            {events.map((item) => (
              <EventItem key={item.id} item={item} sentence={sentence(item)} />
            ))}
          </ol>
        </section>
      ))}
      {onMore && (
        <div className="border-t border-line px-5 py-3">
          <Button isSmall isBusy={isLoadingMore} onClick={onMore}>
            Show earlier events
          </Button>
        </div>
      )}
    </>
  )
}

/** One event, as an item of a list. */
export function EventItem({ item, sentence }: { item: AuditItem; sentence: ReactNode }) {
  const { at, actor, target, before, after, names, reason } = item
  const nameOfProvider = useProviderName()
  const changes = diffFields(before, after, names).map((change) => nameProvider(change, nameOfProvider))
  const reasonText = reason && describeReason(reason)
  return (
    <li className="flex gap-3 border-t border-line px-5 py-2.5">
      <EventPicture actor={actor} target={target} />
      {/* One line where the row is wide enough; otherwise the origin and the time are below the sentence. */}
      <div className="@container min-w-0 flex-1">
        <div className="grid gap-x-6 gap-y-1 @3xl:grid-cols-[minmax(0,1fr)_minmax(0,auto)]">
          <div className="flex min-h-7 min-w-0 flex-wrap items-center gap-x-3 gap-y-1.5">
            <div className="min-w-0 break-words">{sentence}</div>
            {reasonText && <p className="text-ink2">{reasonText}</p>}
            {changes.length > 0 && (
              <ul aria-label="Changes" className="flex min-w-0 flex-wrap gap-1.5">
                {changes.map((change) => (
                  <li
                    key={change.name}
                    className="max-w-full rounded-md border border-line bg-well px-2 py-0.5 text-[13px] break-words"
                  >
                    <FieldChange {...change} />
                  </li>
                ))}
              </ul>
            )}
          </div>
          <div className="flex min-w-0 justify-between gap-4 text-[13px] text-ink3 @3xl:pt-1">
            <Origin {...item} />
            <time dateTime={at} title={at} className="ml-auto shrink-0">
              {timeFormat.format(new Date(at))}
            </time>
          </div>
        </div>
      </div>
    </li>
  )
}

/** Replaces the id of an identity provider with its name. */
const nameProvider = (change: Change, nameOf: (id: string) => string): Change =>
  change.name === 'idp' && change.to ? { ...change, to: nameOf(change.to) } : change

function FieldChange({ name, from, to }: Change) {
  if (from?.includes('\n') || to?.includes('\n')) return <TextChange name={name} from={from ?? ''} to={to ?? ''} />
  return (
    <>
      <span className="text-ink3">{describeField(name)}</span>{' '}
      {from !== undefined && <del className="text-bad decoration-1">{from || '(empty)'}</del>}
      {from !== undefined && to !== undefined && <span aria-hidden="true"> → </span>}
      {to !== undefined && <ins className="text-ok no-underline">{to || '(empty)'}</ins>}
    </>
  )
}

/** A multi-line text, collapsed because it may be long. */
function TextChange({ name, from, to }: Required<Change>) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="w-fit cursor-pointer">
        <span className="text-ink3">{describeField(name)}</span> {describeSizes(from, to)}
      </summary>
      {isOpen && <LineChanges from={from} to={to} />}
    </details>
  )
}

function describeSizes(from: string, to: string): string {
  if (from === '') return formatLineCount(to)
  return to === ''
    ? `${formatLineCount(from)} removed`
    : `changed from ${formatLineCount(from)} to ${formatLineCount(to)}`
}

const number = new Intl.NumberFormat('en')
const formatLineCount = (text: string) => {
  const lines = text.replace(/\n$/, '').split('\n').length
  return lines === 1 ? '1 line' : `${number.format(lines)} lines`
}

/** The origin of the event. It opens to show the trace id, which the log has too. */
function Origin({ ip, userAgent, traceId }: AuditItem) {
  const text = [ip, userAgent].filter(Boolean).join(' · ')
  if (!traceId) return text && <p className="min-w-0 break-words">{text}</p>
  return (
    <details className="min-w-0">
      <summary className="w-fit cursor-pointer break-words">{text || 'Source'}</summary>
      <p className="flex flex-wrap items-center gap-1">
        Trace <code className="font-mono break-all">{traceId}</code>
        <CopyButton text={traceId} label="Copy trace ID" />
      </p>
    </details>
  )
}
