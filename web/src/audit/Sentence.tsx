import type { AuditEntry } from '@passport/contract/audit'
import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { useProviderName } from '../app/provider-names.ts'
import { formatRecordPath } from '../app/record-path.ts'
import { groupEntries, toGroupEntry } from './group-entries.ts'
import { formatPieces, type Piece } from './sentences.ts'

/** An event as a sentence, with links to its actor and target. */
export function Sentence({ entry }: { entry: AuditEntry }) {
  const nameOf = useProviderName()
  return formatPieces(entry, nameOf).map((piece, index) => (
    <Fragment key={index}>{typeof piece === 'string' ? piece : <RecordLink {...piece} />}</Fragment>
  ))
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
