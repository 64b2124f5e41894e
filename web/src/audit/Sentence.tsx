import { type AuditEntry, listAuditEntries, type TargetKind } from '@passport/contract/audit'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { query } from '../app/api.ts'
import { useProviderName } from '../app/provider-names.ts'
import { formatRecordPath, toLink } from '../app/record-path.ts'
import { EventPicture } from '../directory/EventPicture.tsx'
import { Card } from '../ui/Card.tsx'
import { capitalize } from '../ui/capitalize.ts'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { groupEntries, isRepeat, toGroupEntry } from './group-entries.ts'
import { formatPieces, type Piece } from './sentences.ts'

interface SentenceProps {
  entry: AuditEntry
  /** The id of the user whose page it is on, who is omitted as the actor. */
  subject?: string | undefined
  /** The id of the record whose page it is on, which is omitted as the target. */
  of?: string | undefined
}

/** An event as a sentence, with links to its actor and target. */
export function Sentence({ entry, subject, of }: SentenceProps) {
  const nameOf = useProviderName()
  const pieces = omitTarget(formatPieces(entry, nameOf), of)
  return (entry.actor !== null && entry.actor.id === subject ? omitActor(pieces) : pieces).map((piece, index) => (
    <Fragment key={index}>{typeof piece === 'string' ? piece : <RecordLink {...piece} />}</Fragment>
  ))
}

/** Begins the sentence with its verb: “Signed in” instead of “Ana Abara signed in”. */
function omitActor(pieces: Piece[]): Piece[] {
  const [actor, verb, ...rest] = pieces
  if (typeof actor !== 'object' || typeof verb !== 'string') return pieces
  return [capitalize(verb.trimStart()), ...rest]
}

/** Ends the sentence before its target: “Ana Abara added members” instead of “… to Orient Express”. */
function omitTarget(pieces: Piece[], of: string | undefined): Piece[] {
  const [before, target] = pieces.slice(-2)
  if (of === undefined || typeof target !== 'object' || target.id !== of || typeof before !== 'string') return pieces
  const verb = before.replace(/ (to|from|in|of) $/, '')
  return verb === before ? pieces : [...pieces.slice(0, -2), verb]
}

function RecordLink({ kind, id, name }: Exclude<Piece, string>) {
  const path = id === null ? undefined : formatRecordPath(kind, id)
  if (!path) return <strong className="font-[580]">{name}</strong>
  return (
    <Link {...toLink(path)} className="font-[580] hover:underline">
      {name}
    </Link>
  )
}

const maxEvents = 5

/** Loads the latest events of a record. */
export const useRecentEvents = (kind: TargetKind, id: string) =>
  useQuery({
    ...query(listAuditEntries, { query: { target: `${kind}:${id}`, limit: maxEvents } }),
    staleTime: 0,
  })

/** The latest events of a record, on its overview; nothing without events. The tab Activity has all of them. */
export function RecentEvents({ kind, id }: { kind: TargetKind; id: string }) {
  const { data } = useRecentEvents(kind, id)
  if (!data || data.items.length === 0) return null
  return (
    <Card
      title="Recent activity"
      action={
        <Link to="/admin/audit" search={{ target: `${kind}:${id}` } as never} className="link text-[13px]">
          Open in audit log
        </Link>
      }
    >
      <EventRows entries={data.items} of={id} />
    </Card>
  )
}

/** Events as rows of a card, with one row for a bulk change. */
export function EventRows({ entries, of }: { entries: AuditEntry[]; of?: string }) {
  return (
    <ul className="pb-1">
      {toRows(entries).map(({ entry, times }) => (
        <li
          key={entry.id}
          className="flex items-center gap-3 border-t border-hair px-4 py-2 first:border-0 sm:px-[18px]"
        >
          <EventPicture {...entry} />
          <p className="min-w-0 flex-1">
            <span className="line-clamp-2 [overflow-wrap:anywhere]">
              <Sentence entry={entry} of={of} />
            </span>
            <span className="block text-[13px] text-ink3">
              <RelativeTime at={entry.at} />
              {times > 1 && `, ${times} times`}
            </span>
          </p>
        </li>
      ))}
    </ul>
  )
}

/** Returns the events with each change of many records as one event, and how many times each happened. */
const toRows = (entries: AuditEntry[]) =>
  groupEntries(entries).map((group) =>
    isRepeat(group)
      ? { entry: group[0], times: group.length }
      : { entry: group.length > 1 ? toGroupEntry(group, false) : group[0], times: 1 },
  )
