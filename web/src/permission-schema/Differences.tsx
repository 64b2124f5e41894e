import type { SchemaDifference } from '@passport/contract/permission-schema'
import { Link } from '@tanstack/react-router'
import { Status, type Tone } from '../ui/Status.tsx'

const number = new Intl.NumberFormat()

/**
 * The semantic changes of another schema, with the relationships that block them and the permissions they may affect.
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

/** Further permissions are counted, not named. */
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
          {affects.length > maxNamed && ` and ${number.format(affects.length - maxNamed)} more`}
          {isCut && ' (incomplete list)'}
        </p>
      )}
      {blocking > 0 && (
        <p className="mt-1 text-[13px] text-bad">
          {blocking >= 1000
            ? 'At least 1,000 relationships block'
            : `${number.format(blocking)} ${blocking === 1 ? 'relationship blocks' : 'relationships block'}`}{' '}
          this change. {/* The schema in the editor is not saved yet. */}
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
