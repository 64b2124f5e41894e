import { Link } from '@tanstack/react-router'
import { RotateCw } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { Tag } from '../ui/Tag.tsx'
import { compareLists, type Side } from './compare.ts'
import type { Parts, SubjectType } from './lookup-search.ts'
import { ObjectName } from './ObjectName.tsx'
import { printReference } from './reference.ts'
import { type Found, type FoundList, type Lookup, useFound } from './use-found.ts'
import { Verdict } from './Verdict.tsx'
import { ViaPath } from './ViaPath.tsx'

/** One lookup, or two to be compared, and what the two are called. */
export interface Section {
  title: string
  left: Lookup
  right?: Lookup | undefined
}

interface LookupSectionProps extends Section {
  /** What the parts of a comparison are called. */
  parts: Parts | undefined
  /** Shown alone, where two are compared. */
  side: Side | undefined
}

/** What one lookup found, page by page. */
export function LookupSection({ title, left, right, parts, side }: LookupSectionProps) {
  const [ofLeft, ofRight] = [useFound(left), useFound(right)]
  const { rows, needs } = compareLists(ofLeft, ofRight)
  const shown = side && right ? rows.filter((row) => row.side === side) : rows
  const isMore = needs.left || needs.right
  const failed = [ofLeft, ofRight].find(({ failure }) => failure)
  const isPending = ofLeft.isPending || ofRight.isPending
  return (
    <section aria-label={title} className="rounded-box border border-line bg-card">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 px-5 py-3">
        <h3 className="font-mono text-[13.5px] font-[620] [overflow-wrap:anywhere]">{title}</h3>
        {!isPending && !failed && (
          <p className="text-ink2">
            {shown.length.toLocaleString('en')}
            {isMore && '+'}
          </p>
        )}
        {!isPending && !failed && <LookedAt lists={[ofLeft, ofRight]} />}
        {(ofLeft.hasCycle || ofRight.hasCycle) && <CycleBadge />}
      </header>
      {isPending && !failed && <Skeleton label={`Looking up ${title}`} rows={2} rowClass="h-9" />}
      {shown.length > 0 && (
        <ul>
          {shown.map((row) => (
            <FoundRow
              key={row.item.id}
              found={row.item}
              of={left.found}
              question={(row.side === 'right' && right ? right : left).questionOf(row.item.id)}
              part={right && parts && partOf(row, parts)}
              before={beforeOf(row)}
              other={parts?.other}
            />
          ))}
        </ul>
      )}
      {!isPending && !failed && shown.length === 0 && (
        <p className="border-t border-line px-5 py-3 text-ink2">{isMore ? 'None so far.' : 'Nothing.'}</p>
      )}
      {failed?.failure && (
        <div className="px-5 pb-5">
          <ErrorCard failure={failed.failure} onRetry={failed.retry} />
        </div>
      )}
      {isMore && !isPending && !failed && (
        <div className="border-t border-line px-5 py-3">
          <Button
            isSmall
            isBusy={ofLeft.isLoadingMore || ofRight.isLoadingMore}
            onClick={() => readOn(needs, ofLeft, ofRight)}
          >
            Show more
          </Button>
        </div>
      )}
    </section>
  )
}

function readOn(needs: { left: boolean; right: boolean }, left: FoundList, right: FoundList) {
  if (needs.left) left.more()
  if (needs.right) right.more()
}

/** What the other list says of the same, where it says something else. */
const beforeOf = ({ item, other }: { item: Found; other?: Found }) =>
  other && JSON.stringify(verdictOf(other)) !== JSON.stringify(verdictOf(item)) ? other : undefined
const verdictOf = ({ permissionship, partialCaveatMissing, excluded = [] }: Found) => [
  permissionship,
  partialCaveatMissing,
  excluded.map(({ id, permissionship, partialCaveatMissing }) => [id, permissionship, partialCaveatMissing]),
]

/** Which part of a comparison a row belongs to, as it is called. */
export function partOf(row: { side: Side; item: Found; other?: Found }, parts: Parts): string {
  if (row.side !== 'both') return parts[row.side]
  return beforeOf(row) ? parts.differing : parts.same
}

/** How much work it was, and what it could not use. */
function LookedAt({ lists }: { lists: FoundList[] }) {
  const visited = lists.reduce((sum, one) => sum + (one.visited ?? 0), 0)
  const leftOut = lists.reduce((sum, one) => sum + one.leftOut, 0)
  return (
    <p className="ml-auto text-[13px] text-ink3">
      {lists.some((one) => one.visited !== undefined) &&
        `${visited.toLocaleString('en')} permissions and relations looked at`}
      {leftOut > 0 && ` · ${leftOut.toLocaleString('en')} stored relationships do not fit the schema`}
    </p>
  )
}

function CycleBadge() {
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 text-[13px] text-ink2">
      <span className="inline-flex items-center gap-1 text-warn">
        <RotateCw size={13} aria-hidden="true" />
        Goes in a circle
      </span>
      Sets on the way contain each other; each was walked once.
    </span>
  )
}

interface FoundRowProps {
  found: Found
  of: SubjectType
  question: ReturnType<Lookup['questionOf']>
  /** Of a comparison: which part it belongs to. */
  part: string | undefined
  /** What the other list says of it, where that is not the same. */
  before: Found | undefined
  /** Whose answer that is. */
  other: string | undefined
}

function FoundRow({ found, of, question, part, before, other }: FoundRowProps) {
  const [isOpen, setOpen] = useState(false)
  const reference = printReference({ ...of, id: found.id })
  const isEveryone = found.id === '*'
  return (
    <li className="border-t border-line px-5 py-2">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <div className="min-w-0 flex-1 basis-44">
          <p className="flex flex-wrap items-baseline gap-x-2">
            <code className="font-mono text-[13px] [overflow-wrap:anywhere]">{reference}</code>
            {isEveryone ? <b className="font-[600]">Everyone</b> : <ObjectName type={of.type} id={found.id} />}
            {part && <Tag>{part}</Tag>}
          </p>
          {isEveryone && <Excluded found={found} of={of} />}
        </div>
        <Verdict permissionship={found.permissionship} missing={found.partialCaveatMissing} />
        {before && (
          <span className="text-ink2">
            {other}: <Verdict permissionship={before.permissionship} missing={before.partialCaveatMissing} />
            {isEveryone && <Excluded found={before} of={of} />}
          </span>
        )}
        {isEveryone ? (
          <Link
            to="/admin/tools/relations"
            search={{ subjectType: of.type, subjectId: '*' } as never}
            className="btn btn-ghost btn-small"
            aria-label={`Relations of ${reference}`}
          >
            Relations
          </Link>
        ) : (
          <Button
            isSmall
            look="ghost"
            aria-expanded={isOpen}
            aria-label={`Why ${reference}`}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? 'Hide why' : 'Why'}
          </Button>
        )}
      </div>
      {isOpen && (
        <div className="mt-1 mb-2 rounded-ctl bg-well px-3 py-2.5">
          <ViaPath question={question} />
        </div>
      )}
    </li>
  )
}

/** Whom the wildcard leaves out. */
function Excluded({ found: { excluded = [] }, of }: { found: Found; of: SubjectType }) {
  if (excluded.length === 0) return <p className="text-[13px] text-ink2">Nobody is left out.</p>
  return (
    <p className="text-[13px] text-ink2">
      But not{' '}
      {excluded.map(({ id, permissionship, partialCaveatMissing }, at) => (
        <span key={id}>
          {at > 0 && ', '}
          <code className="font-mono text-[12.5px] text-ink [overflow-wrap:anywhere]">
            {printReference({ ...of, id })}
          </code>
          <ObjectName type={of.type} id={id} />
          {permissionship === 'conditional' && ` (depends on ${partialCaveatMissing.join(', ')})`}
        </span>
      ))}
      .
    </p>
  )
}
