import type { AuditEntry } from '@passport/contract/audit'
import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { useProviderName } from '../app/provider-names.ts'
import { formatRecordPath } from '../app/record-path.ts'
import { formatPieces, type Piece } from './sentences.ts'

/** An event as a sentence, with links to its actor and target. */
export function Sentence({ entry }: { entry: AuditEntry }) {
  const nameOf = useProviderName()
  return formatPieces(entry, nameOf).map((piece, index) => (
    <Fragment key={index}>{typeof piece === 'string' ? piece : <RecordLink {...piece} />}</Fragment>
  ))
}

function RecordLink({ kind, id, name }: Exclude<Piece, string>) {
  const path = id === null ? undefined : formatRecordPath(kind, id)
  if (!path) return <strong className="font-[580]">{name}</strong>
  return (
    <Link to={path as never} className="font-[580] hover:underline">
      {name}
    </Link>
  )
}
