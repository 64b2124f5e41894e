import type { SchemaDifference } from '@passport/contract/permission-schema'
import { Link } from '@tanstack/react-router'
import { Status, type Tone } from '../ui/Status.tsx'

const number = new Intl.NumberFormat()

/** What another schema changes in meaning, with what stands in its way and whose answers it may change. */
export function Differences({ differences }: { differences: readonly SchemaDifference[] }) {
  if (differences.length === 0) {
    return (
      <p className="px-5 text-ink2">The schema stays as it is in meaning: at most spelling, order or spaces differ.</p>
    )
  }
  return (
    <ul className="px-5">
      {differences.map((difference) => (
        <Difference key={`${difference.kind} ${difference.name} ${difference.before}`} difference={difference} />
      ))}
    </ul>
  )
}

/** More permissions are counted, not named. */
const mostNamed = 50

function Difference({
  difference: { kind, name, before, after, affects, isCut, blocking },
}: {
  difference: SchemaDifference
}) {
  const code = 'font-mono text-[12.5px] [overflow-wrap:anywhere]'
  return (
    <li className="border-t border-line py-3 first:border-t-0">
      <p className="flex flex-wrap items-center gap-x-3">
        <Status tone={toneOf(kind)}>{wordOf(kind)}</Status>
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
          May change the answers of <code className={code}>{affects.slice(0, mostNamed).join(', ')}</code>
          {affects.length > mostNamed && ` and ${number.format(affects.length - mostNamed)} more`}
          {isCut && ', not all of which are told'}
        </p>
      )}
      {blocking > 0 && (
        <p className="mt-1 text-[13px] text-bad">
          {blocking >= 1000
            ? '1,000 relationships or more stand'
            : `${number.format(blocking)} ${blocking === 1 ? 'relationship stands' : 'relationships stand'}`}{' '}
          in its way. {/* What is being edited here is not saved yet. */}
          <Link to="/admin/tools/relations" search={filterOf(name) as never} target="_blank" className="link">
            Show {blocking === 1 ? 'it' : 'them'} in a new tab
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

/** `subject-added` as “Subject added”. */
const wordOf = (kind: SchemaDifference['kind']): string => {
  const words = kind.replace('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** What the Relation Viewer shows for `document#viewer`. */
function filterOf(name: string): Record<string, string> {
  const [resourceType = '', relation] = name.split('#')
  return relation ? { resourceType, relation } : { resourceType }
}
