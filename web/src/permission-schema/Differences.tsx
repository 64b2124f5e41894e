import type { SchemaDifference } from '@passport/contract/permission-schema'
import { Link } from '@tanstack/react-router'
import { formatCount } from '../directory/total.ts'
import { Status, type Tone } from '../ui/Status.tsx'

/**
 * The semantic changes between two schemas, with the permissions that they may affect and the number of relationships
 * that block them.
 */
export function Differences({ differences }: { differences: readonly SchemaDifference[] }) {
  if (differences.length === 0) {
    return <p className="px-5 text-ink2">No change in meaning: only formatting or order differs.</p>
  }
  return (
    <ul className="px-5">
      {differences.map((difference) => (
        <Difference key={`${difference.kind} ${difference.name} ${difference.before}`} difference={difference} />
      ))}
    </ul>
  )
}

/** The maximum of named permissions; further ones are counted. */
const maxNamed = 50

function Difference({
  difference: { kind, name, before, after, affects, isCut, blocking },
}: {
  difference: SchemaDifference
}) {
  const code = 'font-mono text-[12.5px] [overflow-wrap:anywhere]'
  return (
    <li className="border-t border-line py-3 first:border-t-0">
      <p className="flex flex-wrap items-center gap-x-3">
        <Status tone={toneOf(kind)}>{formatKind(kind)}</Status>
        <code className={`${code} font-[600]`}>{name}</code>
      </p>
      {before && (
        <p className="mt-1">
          <del className={`${code} text-bad no-underline`}>
            <span aria-hidden="true">− </span>
            {before}
          </del>
        </p>
      )}
      {after && (
        <p className="mt-1">
          <ins className={`${code} text-ok no-underline`}>
            <span aria-hidden="true">+ </span>
            {after}
          </ins>
        </p>
      )}
      {affects.length > 0 && (
        <p className="mt-1 text-[13px] text-ink2">
          May affect <code className={code}>{affects.slice(0, maxNamed).join(', ')}</code>
          {affects.length > maxNamed && ` and ${(affects.length - maxNamed).toLocaleString('en')} more`}
          {isCut && ' (incomplete list)'}
        </p>
      )}
      {blocking > 0 && (
        <p className="mt-1 text-[13px] text-bad">
          {blocking >= 1000 && 'At least '}
          {formatCount(blocking, ['relationship', 'relationships'])} {blocking === 1 ? 'blocks' : 'block'} this change.{' '}
          {/* In this tab, the draft in the editor would be lost. */}
          <Link to="/admin/tools/relations" search={toRelationFilter(name) as never} target="_blank" className="link">
            Show in a new tab
          </Link>
        </p>
      )}
    </li>
  )
}

const toneOf = (kind: SchemaDifference['kind']): Tone => {
  if (kind.endsWith('-added')) return 'ok'
  return kind.endsWith('-removed') ? 'bad' : kind === 'comment-changed' ? 'off' : 'warn'
}

/** Formats `subject-added` as “Subject added”. */
const formatKind = (kind: SchemaDifference['kind']): string => {
  const words = kind.replace('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Returns the Relation Viewer's filter for `document#viewer`. */
function toRelationFilter(name: string): Record<string, string> {
  const [resourceType = '', relation] = name.split('#')
  return relation ? { resourceType, relation } : { resourceType }
}
