import type { AuditEntry } from '@passport/contract/audit'
import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { useProviderName } from '../app/provider-names.ts'
import { formatRecordPath } from '../app/record-path.ts'
import { capitalize } from '../ui/capitalize.ts'
import { groupEntries, toGroupEntry } from './group-entries.ts'
import { formatPieces, type Piece } from './sentences.ts'

/** An event as a sentence, with links to its actor and target; without the actor if that is the `subject`. */
export function Sentence({ entry, subject }: { entry: AuditEntry; subject?: string | undefined }) {
  const nameOf = useProviderName()
  const pieces = formatPieces(entry, nameOf)
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

/** Returns the events with each change of many records as one event. */
export const mergeEntries = (entries: AuditEntry[]): AuditEntry[] =>
  groupEntries(entries).map((group) => (group.length > 1 ? toGroupEntry(group, false) : group[0]))

function RecordLink({ kind, id, name }: Exclude<Piece, string>) {
  const path = id === null ? undefined : formatRecordPath(kind, id)
  if (!path) return <strong className="font-[580]">{name}</strong>
  return (
    <Link to={path as never} className="font-[580] hover:underline">
      {name}
    </Link>
  )
}
