import { Link } from '@tanstack/react-router'
import { RotateCw } from 'lucide-react'
import { Tag } from '../ui/Tag.tsx'
import { compareLists, type Side } from './compare.ts'
import { FoundFrame, FoundLine } from './FoundFrame.tsx'
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
  const isThere = !isPending && !failed
  return (
    <FoundFrame
      title={title}
      count={shown.length}
      about={
        <>
          {isThere && <LookedAt lists={[ofLeft, ofRight]} />}
          {(ofLeft.hasCycle || ofRight.hasCycle) && <CycleBadge />}
        </>
      }
      isPending={isPending}
      isMore={isMore}
      isLoadingMore={ofLeft.isLoadingMore || ofRight.isLoadingMore}
      failure={failed?.failure}
      onMore={() => readOn(needs, ofLeft, ofRight)}
      onRetry={() => failed?.retry()}
    >
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
    </FoundFrame>
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
  const reference = printReference({ ...of, id: found.id })
  const isEveryone = found.id === '*'
  return (
    <FoundLine
      reference={reference}
      beside={
        <>
          {isEveryone ? <b className="font-[600]">Everyone</b> : <ObjectName type={of.type} id={found.id} />}
          {part && <Tag>{part}</Tag>}
        </>
      }
      below={isEveryone && <Excluded found={found} of={of} />}
      verdict={
        <>
          <Verdict permissionship={found.permissionship} missing={found.partialCaveatMissing} />
          {before && (
            <span className="text-ink2">
              {other}: <Verdict permissionship={before.permissionship} missing={before.partialCaveatMissing} />
              {isEveryone && <Excluded found={before} of={of} />}
            </span>
          )}
        </>
      }
      action={isEveryone ? <RelationsOfEveryone type={of.type} reference={reference} /> : undefined}
      path={() => <ViaPath question={question} />}
    />
  )
}

function RelationsOfEveryone({ type, reference }: { type: string; reference: string }) {
  return (
    <Link
      to="/admin/tools/relations"
      search={{ subjectType: type, subjectId: '*' } as never}
      className="btn btn-ghost btn-small"
      aria-label={`Relations of ${reference}`}
    >
      Relations
    </Link>
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
