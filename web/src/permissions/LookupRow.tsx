import { useCallback, useRef } from 'react'
import { Tag } from '../ui/Tag.tsx'
import { FoundLine } from './FoundLine.tsx'
import type { SubjectType } from './lookup-search.ts'
import { ObjectName } from './ObjectName.tsx'
import { printReference } from './reference.ts'
import type { Found, Lookup } from './use-found.ts'
import { Verdict } from './Verdict.tsx'
import { ViaPath } from './ViaPath.tsx'

interface LookupRowProps {
  found: Found
  of: SubjectType
  question: ReturnType<Lookup['questionOf']>
  /** Of a comparison: which part it belongs to. */
  part: string | undefined
  /** What the other list says of it, where that is not the same. */
  before: Found | undefined
  /** Whose answer that is. */
  other: string | undefined
  /** Whether it tells why. */
  isOpen: boolean
  onToggle: () => void
  /** Of its button, where the rows are one stop of the Tab key. */
  tabIndex: number | undefined
}

/** Something that a lookup found, and on demand how it comes to it. */
export function LookupRow({ found, of, question, part, before, other, isOpen, onToggle, tabIndex }: LookupRowProps) {
  const reference = printReference({ ...of, id: found.id })
  const isEveryone = found.id === '*'
  const why = useRef<HTMLDivElement>(null)
  const isToSee = useRef(false)
  // A row near the end of what is seen tells why below it. One that has scrolled back is left where it is.
  const onKnown = useCallback(() => {
    if (isToSee.current) why.current?.scrollIntoView({ block: 'nearest' })
    isToSee.current = false
  }, [])
  function toggle() {
    isToSee.current = !isOpen
    onToggle()
  }
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
            <span className="inline-flex flex-wrap items-baseline gap-x-2 text-ink2">
              {other}: <Verdict permissionship={before.permissionship} missing={before.partialCaveatMissing} />
              {isEveryone && <Excluded found={before} of={of} />}
            </span>
          )}
        </>
      }
      isOpen={isOpen}
      onToggle={toggle}
      tabIndex={tabIndex}
      why={why}
      path={() => <ViaPath question={question} onKnown={onKnown} />}
    />
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
