import type { Trace } from '@passport/contract/permission-terms'
import { ChevronRight } from 'lucide-react'
import { useId, useState } from 'react'
import { ObjectName } from '../permissions/ObjectName.tsx'
import { RelationshipText } from '../permissions/RelationshipText.tsx'
import { printReference } from '../permissions/reference.ts'
import { VerdictSign } from '../permissions/Verdict.tsx'
import { Button } from '../ui/Button.tsx'
import { Tag } from '../ui/Tag.tsx'

/** The number of branches shown at first: a relation may have thousands. */
const initialCount = 20
const moreCount = 200

/** The trace of an evaluation; decisive branches are open. */
export function TraceTree({ trace }: { trace: Trace }) {
  return (
    <div className="overflow-x-auto border-t border-line px-4 py-3 max-sm:px-2">
      <div className="sm:min-w-[30rem]">
        <Branch trace={trace} isDecisive />
      </div>
    </div>
  )
}

function Branch({ trace, isDecisive }: { trace: Trace; isDecisive: boolean }) {
  const id = useId()
  const [isOpen, setOpen] = useState(isDecisive)
  const isLeaf = trace.children.length === 0
  return (
    <>
      <div className="flex items-start">
        {isLeaf ? (
          <span className="w-[24px] shrink-0 pointer-coarse:w-[36px]" />
        ) : (
          <button
            type="button"
            aria-label="Details"
            aria-expanded={isOpen}
            aria-controls={isOpen ? id : undefined}
            className="group grid size-[24px] shrink-0 pointer-coarse:size-[36px] place-items-center rounded-md text-ink3 hover:bg-well hover:text-ink"
            onClick={() => setOpen(!isOpen)}
          >
            <ChevronRight size={14} aria-hidden="true" className="group-aria-expanded:rotate-90" />
          </button>
        )}
        <div className="min-w-0 py-0.5 pointer-coarse:py-2">
          <TraceLine trace={trace} />
        </div>
      </div>
      {!isLeaf && isOpen && <Branches id={id} trace={trace} isDecisive={isDecisive} />}
    </>
  )
}

function Branches({ id, trace, isDecisive }: { id: string; trace: Trace; isDecisive: boolean }) {
  const [count, setCount] = useState(initialCount)
  const { children } = trace
  // Every branch of a denial is decisive; of a grant, only those that grant.
  const isOpen = (child: Trace) =>
    isDecisive && (trace.permissionship === 'noPermission' || child.permissionship !== 'noPermission')
  return (
    <ul id={id} className="ml-[11px] border-l border-line pl-1.5 max-sm:ml-1.5 max-sm:pl-0">
      {children.slice(0, count).map((child, index) => (
        <li key={index}>
          <Branch trace={child} isDecisive={isOpen(child)} />
        </li>
      ))}
      {children.length > count && (
        <li className="py-1 pl-6">
          <Button isSmall onClick={() => setCount(count + moreCount)}>
            Show {Math.min(moreCount, children.length - count)} more of {children.length}
          </Button>
        </li>
      )}
    </ul>
  )
}

export const operators = {
  union: { sign: '+', word: 'any of' },
  intersection: { sign: '&', word: 'all of' },
  exclusion: { sign: '−', word: 'but not' },
} as const

/** One step of a trace with its result and duration. */
function TraceLine({ trace }: { trace: Trace }) {
  const { permissionship, isCycle, isRepeated, isCut, isSupposed, duration, caveat, partialCaveatMissing } = trace
  return (
    <span className="inline-flex items-start gap-x-2">
      <VerdictSign permissionship={permissionship} />
      <span className="inline-flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-1">
        <StepText trace={trace} />
        {isSupposed && <Tag>hypothetical</Tag>}
        {isCycle && <Tag>cycle, counts as no</Tag>}
        {isRepeated && <Tag>explained above</Tag>}
        {isCut && <Tag>truncated</Tag>}
        <span className="text-[12px] whitespace-nowrap text-ink3">{formatDuration(duration)}</span>
        {caveat && <CaveatNote caveat={caveat} />}
        {!caveat && partialCaveatMissing.length > 0 && trace.children.length === 0 && (
          <span className="text-[13px] text-warn">needs {partialCaveatMissing.join(', ')}</span>
        )}
      </span>
    </span>
  )
}

function StepText({ trace: { step, resource, isSupposed } }: { trace: Trace }) {
  const mono = 'font-mono text-[12.5px] [overflow-wrap:anywhere]'
  if (step.kind === 'relationship')
    return <RelationshipText relationship={step.relationship} isNew={isSupposed === true} />
  if (step.kind === 'permission' || step.kind === 'relation')
    return (
      <span>
        <code className={mono}>
          {printReference(resource)}#<b className="font-[650]">{step.name}</b>
        </code>
        <ObjectName {...resource} />
        <span className="ml-1.5 text-[12px] text-ink3">{step.kind}</span>
      </span>
    )
  if (step.kind === 'arrow')
    return (
      <span className="inline-flex items-center gap-1.5">
        <Operator sign="→" word={step.of === 'all' ? 'of all' : 'through'} />
        <code className={mono}>
          {step.left}
          {step.of === 'all' ? `.all(${step.right})` : `->${step.right}`}
        </code>
      </span>
    )
  if (step.kind === 'nil' || step.kind === 'self')
    return <span>{step.kind === 'nil' ? 'no one (nil)' : 'the object itself (self)'}</span>
  return <Operator {...operators[step.kind]} />
}

/** An operator of an expression, as a sign and in words. */
export function Operator({ sign, word }: { sign: string; word: string }) {
  return (
    <span className="inline-flex items-center gap-1.5 rounded-[5px] border border-line bg-well px-1.5 py-px text-[12.5px] font-[600]">
      <span aria-hidden="true" className="font-mono text-ink2">
        {sign}
      </span>
      {word}
    </span>
  )
}

const outcomes = { true: 'holds', false: 'does not hold', missing: 'is undecided' }

function CaveatNote({
  caveat: { name, expression, context, result, missing, residual },
}: {
  caveat: NonNullable<Trace['caveat']>
}) {
  return (
    <span className="basis-full rounded-ctl border border-line bg-well px-3 py-2 text-[13px]">
      <span className="block">
        Caveat <b className="font-[600]">{name}</b> {outcomes[result]}
        {missing.length > 0 && (
          <>
            : needs <code className="font-mono text-warn">{missing.join(', ')}</code>
          </>
        )}
      </span>
      <code className="mt-1 block font-mono text-[12.5px] whitespace-pre-wrap [overflow-wrap:anywhere]">
        {expression.trim()}
      </code>
      {residual !== undefined && (
        <span className="mt-1 block">
          Remaining condition:{' '}
          <code className="font-mono text-[12.5px] [overflow-wrap:anywhere] text-warn">{residual}</code>
        </span>
      )}
      {Object.keys(context).length > 0 && (
        <code className="mt-1 block font-mono text-[12.5px] [overflow-wrap:anywhere] text-ink2">
          {JSON.stringify(context)}
        </code>
      )}
    </span>
  )
}

/** Returns the nesting depth of permissions and relations; operators do not count. */
export function measureDepth({ step, children }: Trace): number {
  const ownDepth = step.kind === 'permission' || step.kind === 'relation' ? 1 : 0
  return ownDepth + Math.max(0, ...children.map(measureDepth))
}

/** Formats microseconds: `38 µs`, `0.42 ms`, `1.2 s`. */
export function formatDuration(microseconds: number): string {
  if (microseconds < 100) return `${Math.round(microseconds)} µs`
  if (microseconds < 10_000) return `${(microseconds / 1000).toFixed(2)} ms`
  if (microseconds < 1_000_000) return `${Math.round(microseconds / 1000)} ms`
  return `${(microseconds / 1_000_000).toFixed(1)} s`
}
