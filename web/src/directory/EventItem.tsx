import { ChevronDown } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useProviderName } from '../app/provider-names.ts'
import { CopyButton } from '../ui/CopyButton.tsx'
import { type Change, describeField, describeReason, diffFields } from './audit-changes.ts'
import { EventIcon, EventPicture } from './EventPicture.tsx'
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
  /** URLs of the pictures of actor and target. */
  pictures?: Record<string, string>
  reason: string | null
  ip: string | null
  userAgent: string | null
  traceId: string | null
}

const timeFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
/** Without seconds: only the audit log shows the order of events within a minute. */
const briefFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })

interface EventItemProps {
  item: AuditItem
  sentence: ReactNode
  /** The id of the user whose activity this is: origins, and the changes of their own events, are shown on request. */
  subject?: string | undefined
  /** Whether the origin is shown on request, and the time without seconds: on the page of a record. */
  isBrief?: boolean
}

/** One event, as an item of a list. */
export function EventItem({ item, sentence, subject, isBrief = subject !== undefined }: EventItemProps) {
  const { at, action, actor, target, before, after, names, pictures, reason } = item
  const isOwn = actor !== null && actor.id === subject
  // Of a session there is only its id.
  const isFolded = isOwn || (subject !== undefined && action === 'session.revoked')
  const [isOpen, setOpen] = useState(false)
  const nameOfProvider = useProviderName()
  const differences = diffFields(before, after, names)
  const changes = differences
    // The names say how many.
    .filter(({ name }) => !differences.some((other) => countNames[other.name] === name))
    .map((change) => nameProvider(change, nameOfProvider))
  const reasonText = reason && describeReason(reason)
  // A new record has all its fields in the event; most of them, and the usual factor of a sign-in, are shown on request.
  const facts = before === null && !isBrief && item.traceId ? changes.filter((change) => !isUsual(change)) : changes
  const shown = facts === changes ? changes : facts.slice(0, maxFacts)
  const renderChanges = (list: Change[], label: string) =>
    list.length > 0 && (
      <ul aria-label={label} className="flex min-w-0 flex-wrap gap-1.5">
        {list.map((change) => (
          <li
            key={change.name}
            className={`max-w-full rounded-md bg-well px-2 py-0.5 text-[13px] break-words ${before === null ? '' : 'border border-line'}`}
          >
            <FieldChange {...change} isFact={before === null} />
          </li>
        ))}
      </ul>
    )
  const changeList = renderChanges(shown, 'Changes')
  const otherFacts = renderChanges(
    changes.filter((change) => !shown.includes(change)),
    'Other fields',
  )
  return (
    <li className="flex gap-3 border-t border-hair px-4 py-2 first:border-0 sm:px-[18px]">
      {isOwn ? <EventIcon action={action} /> : <EventPicture actor={actor} target={target} pictures={pictures} />}
      {/* The time is on the first line. The origin stands between them where the row is wide enough, otherwise below. */}
      <div className="@container min-w-0 flex-1">
        <div
          className={`grid grid-cols-[minmax(0,1fr)_auto] gap-x-5 ${isBrief ? '@md:grid-cols-[minmax(0,1fr)_auto_auto]' : '@3xl:grid-cols-[minmax(0,1fr)_minmax(0,auto)_auto]'}`}
        >
          <div className="col-start-1 row-start-1 flex min-h-7 min-w-0 flex-wrap items-center gap-x-3 gap-y-1.5">
            <div className="min-w-0 break-words">{sentence}</div>
            {reasonText && <p className="text-ink2">{reasonText}</p>}
            {!isFolded && changeList}
          </div>
          <time
            dateTime={at}
            title={at}
            className={`col-start-2 row-start-1 pt-1 text-[13px] text-ink3 tabular-nums ${isBrief ? '@md:col-start-3' : '@3xl:col-start-3'}`}
          >
            {(isBrief ? briefFormat : timeFormat).format(new Date(at))}
          </time>
          {isBrief ? (
            // The device: in the activity of a user, a foreign one stands out.
            subject && (
              <p className="col-span-2 row-start-2 text-[13px] text-ink3 @md:col-span-1 @md:col-start-2 @md:row-start-1 @md:w-[150px] @md:pt-1">
                {item.userAgent}
              </p>
            )
          ) : (
            <div className="col-span-2 row-start-2 min-w-0 text-[13px] text-ink3 @3xl:col-span-1 @3xl:col-start-2 @3xl:row-start-1 @3xl:pt-1">
              <Origin {...item} facts={otherFacts} />
            </div>
          )}
        </div>
        {isOpen && (
          <div className="mt-1 mb-1.5 grid gap-2 text-[13px] text-ink3">
            {isFolded && changeList}
            <Origin {...item} />
          </div>
        )}
      </div>
      {isBrief && (
        <button
          type="button"
          aria-label="Details"
          aria-expanded={isOpen}
          className="btn btn-ghost h-7 px-1.5 text-ink3 pointer-coarse:-my-2 pointer-coarse:-mr-2"
          onClick={() => setOpen(!isOpen)}
        >
          <ChevronDown size={16} className={isOpen ? 'rotate-180' : ''} />
        </button>
      )}
    </li>
  )
}

const maxFacts = 3
/** Reports whether a fact says nothing: a sign-in with a password. */
const isUsual = ({ name, to }: Change) => name === 'amr' && to === 'Password'

/** The number of the names in a field. */
const countNames: Record<string, string> = { members: 'memberCount', owners: 'ownerCount' }

/** Replaces the id of an identity provider with its name. */
const nameProvider = (change: Change, nameOf: (id: string) => string): Change =>
  change.name === 'idp' && change.to ? { ...change, to: nameOf(change.to) } : change

/** The change of a field, or a fact: a value that replaces none. */
function FieldChange({ name, from, to, isFact }: Change & { isFact: boolean }) {
  if (from?.includes('\n') || to?.includes('\n')) return <TextChange name={name} from={from ?? ''} to={to ?? ''} />
  return (
    <>
      <span className="text-ink3">{describeField(name)}</span>{' '}
      {from !== undefined && <del className="text-bad decoration-1">{from || '(empty)'}</del>}
      {from !== undefined && to !== undefined && <span aria-hidden="true"> → </span>}
      {to !== undefined && (isFact ? to || '(empty)' : <ins className="text-ok no-underline">{to || '(empty)'}</ins>)}
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

/** The origin of the event. It opens to show the trace id, which the log has too, and further facts. */
function Origin({ ip, userAgent, traceId, facts }: AuditItem & { facts?: ReactNode }) {
  const text = [ip, userAgent].filter(Boolean).join(' · ')
  if (!traceId) return text && <p className="min-w-0 break-words">{text}</p>
  return (
    <details className="min-w-0">
      <summary className="w-fit cursor-pointer break-words">{text || 'Source'}</summary>
      <p className="flex flex-wrap items-center gap-1">
        Trace <code className="font-mono break-all">{traceId}</code>
        <CopyButton text={traceId} label="Copy trace ID" />
      </p>
      {facts}
    </details>
  )
}
