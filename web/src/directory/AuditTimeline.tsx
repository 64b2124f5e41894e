import { lazy, type ReactNode, Suspense, useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard, type Failure } from '../ui/ErrorCard.tsx'
import { Seal } from '../ui/Seal.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { type Change, changesOf, dayOf } from './audit-changes.ts'

const LineChanges = lazy(async () => ({ default: (await import('./LineChanges.tsx')).LineChanges }))

type Json = { [name: string]: unknown }

/** An event of the audit as the timeline shows it. */
export interface AuditItem {
  id: string
  at: string
  action: string
  /** Nobody where the system acted, or where no one was signed in. */
  actor: { id: string; name: string } | null
  target: { kind: string; id: string | null; name: string | null }
  before: Json | null
  after: Json | null
  /** What the ids in before and after are called. */
  names?: Record<string, string>
  reason: string | null
  ip: string | null
  userAgent: string | null
  traceId: string | null
}

interface AuditTimelineProps {
  /** Newest first. */
  items: AuditItem[] | undefined
  /** What happened, as a sentence with links. */
  sentence: (item: AuditItem) => ReactNode
  failure?: Failure | undefined
  onRetry?: () => void
  /** Loads what was before; absent at the end. */
  onMore?: (() => void) | undefined
  isLoadingMore?: boolean
  /** What to say where nothing has happened, or where nothing matches the filters. */
  empty?: ReactNode
}

const time = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false })

/** Who did what, by days: on the page of the audit, and as Activity on the page of every record. */
export function AuditTimeline(props: AuditTimelineProps) {
  const { items, sentence, failure, onRetry, onMore, isLoadingMore = false, empty } = props
  if (failure) return <ErrorCard failure={failure} {...(onRetry && { onRetry })} />
  if (!items) return <Skeleton label="Loading events" rows={6} rowClass="h-14" />
  if (items.length === 0) return empty ?? <Empty kind="nothing yet" title="Nothing has happened yet" />
  const days = Map.groupBy(items, ({ at }) => dayOf(at))
  return (
    <>
      {[...days].map(([day, events]) => (
        <section key={day} aria-label={day}>
          <h3 className="sticky top-14 z-[5] bg-card px-5 py-2 text-[13px] font-[560] text-ink2">{day}</h3>
          <ol>
            {events.map((item) => (
              <Event key={item.id} item={item} sentence={sentence(item)} />
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

function Event({ item, sentence }: { item: AuditItem; sentence: ReactNode }) {
  const { at, actor, before, after, names, reason } = item
  const changes = changesOf(before, after, names)
  return (
    <li className="flex gap-3 border-t border-line px-5 py-3">
      <Seal seed={actor?.id ?? 'system'} size={28} isFoil={!actor} />
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap justify-between gap-x-4">
          <p className="min-w-0 break-words">{sentence}</p>
          <time dateTime={at} title={at} className="text-[13px] text-ink3">
            {time.format(new Date(at))}
          </time>
        </div>
        {reason && <p className="text-ink2">{reason}</p>}
        {changes.length > 0 && (
          <ul aria-label="Changes" className="mt-1.5 flex flex-wrap gap-1.5">
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
        <Origin {...item} />
      </div>
    </li>
  )
}

function FieldChange({ name, from, to }: Change) {
  if (from?.includes('\n') || to?.includes('\n')) return <TextChange name={name} from={from ?? ''} to={to ?? ''} />
  return (
    <>
      <span className="text-ink3">{name}</span>{' '}
      {from !== undefined && <del className="text-bad decoration-1">{from || '(empty)'}</del>}
      {from !== undefined && to !== undefined && <span aria-hidden="true"> → </span>}
      {to !== undefined && <ins className="text-ok no-underline">{to || '(empty)'}</ins>}
    </>
  )
}

/** A text of several lines: folded, as it may be long. */
function TextChange({ name, from, to }: Required<Change>) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="w-fit cursor-pointer">
        <span className="text-ink3">{name}</span> {sizesOf(from, to)}
      </summary>
      {isOpen && (
        <Suspense fallback={<Skeleton label="Comparing" rows={2} rowClass="h-4" />}>
          <LineChanges from={from} to={to} />
        </Suspense>
      )}
    </details>
  )
}

function sizesOf(from: string, to: string): string {
  if (from === '') return linesIn(to)
  return to === '' ? `${linesIn(from)} gone` : `changed, ${linesIn(from)} before and ${linesIn(to)} after`
}

const number = new Intl.NumberFormat('en')
const linesIn = (text: string) => {
  const lines = text.replace(/\n$/, '').split('\n').length
  return lines === 1 ? '1 line' : `${number.format(lines)} lines`
}

/** From where it was done, and the id that finds it in the log. */
function Origin({ ip, userAgent, traceId }: AuditItem) {
  if (!ip && !userAgent && !traceId) return null
  return (
    <details className="mt-1 text-[13px] text-ink3">
      <summary className="w-fit cursor-pointer">From where{ip && `: ${ip}`}</summary>
      {userAgent && <p className="break-words">{userAgent}</p>}
      {traceId && (
        <p className="flex flex-wrap items-center gap-1">
          Trace <code className="font-mono break-all">{traceId}</code>
          <CopyButton text={traceId} label="Copy trace id" />
        </p>
      )}
    </details>
  )
}
