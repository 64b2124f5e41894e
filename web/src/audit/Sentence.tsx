import type { AuditEntry } from '@passport/contract/audit'
import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { recordPath } from '../app/palette-records.ts'
import { type Piece, piecesOf } from './sentences.ts'

/** What happened, with links to whom and what it is about. */
export function Sentence({ entry }: { entry: AuditEntry }) {
  return piecesOf(entry).map((piece, at) => (
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
