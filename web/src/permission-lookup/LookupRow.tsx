import { useCallback, useRef } from 'react'
import { ObjectName } from '../permissions/ObjectName.tsx'
import { ResultLine } from '../permissions/OwnReach.tsx'
import { printReference } from '../permissions/reference.ts'
import { Verdict } from '../permissions/Verdict.tsx'
import { Tag } from '../ui/Tag.tsx'
import type { SubjectType } from './lookup-search.ts'
import { PermissionPath } from './PermissionPath.tsx'
import type { Lookup, LookupItem } from './use-lookup-items.ts'

interface LookupRowProps {
  result: LookupItem
  type: SubjectType
  question: ReturnType<Lookup['toQuestion']>
  /** In a comparison, the name of its part. */
  partLabel: string | undefined
  /** The other list's result, if it differs. */
  otherResult: LookupItem | undefined
  /** The name of the other list. */
  otherLabel: string | undefined
  /** Whether the reason is shown. */
  isOpen: boolean
  onToggle: () => void
  /** The button's `tabIndex`, if the rows are a single tab stop. */
  tabIndex: number | undefined
}

/** One result of a lookup, and on demand its reason. */
export function LookupRow({
  result,
  type,
  question,
  partLabel,
  otherResult,
  otherLabel,
  isOpen,
  onToggle,
  tabIndex,
}: LookupRowProps) {
  const reference = printReference({ ...type, id: result.id })
  const isEveryone = result.id === '*'
  const reasonRef = useRef<HTMLDivElement>(null)
  const shouldScroll = useRef(false)
  // The reason opens below the row and may be off-screen. A row scrolled back into view stays where it is.
  const onLoaded = useCallback(() => {
    if (shouldScroll.current) reasonRef.current?.scrollIntoView({ block: 'nearest' })
    shouldScroll.current = false
  }, [])
  function toggle() {
    shouldScroll.current = !isOpen
    onToggle()
  }
  return (
    <ResultLine
      reference={reference}
      label={
        <>
          {isEveryone ? <b className="font-[600]">Everyone</b> : <ObjectName type={type.type} id={result.id} />}
          {partLabel && <Tag>{partLabel}</Tag>}
        </>
      }
      details={isEveryone && <Excluded result={result} type={type} />}
      verdict={
        <>
          <Verdict permissionship={result.permissionship} missing={result.partialCaveatMissing} />
          {otherResult && (
            <span className="inline-flex flex-wrap items-baseline gap-x-2 text-ink2">
              {otherLabel}:{' '}
              <Verdict permissionship={otherResult.permissionship} missing={otherResult.partialCaveatMissing} />
              {isEveryone && <Excluded result={otherResult} type={type} />}
            </span>
          )}
        </>
      }
      isOpen={isOpen}
      onToggle={toggle}
      tabIndex={tabIndex}
      reasonRef={reasonRef}
      renderReason={() => <PermissionPath question={question} onLoaded={onLoaded} />}
    />
  )
}

/** The subjects excluded from the wildcard. */
function Excluded({ result: { excluded = [] }, type }: { result: LookupItem; type: SubjectType }) {
  if (excluded.length === 0) return <p className="text-[13px] text-ink2">No exceptions</p>
  return (
    <p className="text-[13px] text-ink2">
      Except{' '}
      {excluded.map(({ id, permissionship, partialCaveatMissing }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <code className="font-mono text-[12.5px] text-ink [overflow-wrap:anywhere]">
            {printReference({ ...type, id })}
          </code>
          <ObjectName type={type.type} id={id} />
          {permissionship === 'conditional' && ` (depends on ${partialCaveatMissing.join(', ')})`}
        </span>
      ))}
      .
    </p>
  )
}
