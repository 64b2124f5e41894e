import type { AuditEntry } from '@passport/contract/audit'
import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { useProviderName } from '../app/provider-names.ts'
import { recordPath } from '../app/record-path.ts'
import { type Piece, piecesOf } from './sentences.ts'

/** What happened, with links to whom and what it is about. */
export function Sentence({ entry }: { entry: AuditEntry }) {
  const nameOf = useProviderName()
  return piecesOf(entry, nameOf).map((piece, at) => (
    <Fragment key={at}>{typeof piece === 'string' ? piece : <Named {...piece} />}</Fragment>
  ))
}

function Named({ kind, id, name }: Exclude<Piece, string>) {
  const path = id === null ? undefined : recordPath(kind, id)
  if (!path) return <strong className="font-[580]">{name}</strong>
  return (
    <Link to={path as never} className="font-[580] hover:underline">
      {name}
    </Link>
  )
}
