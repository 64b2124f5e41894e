import type { Trace } from '@passport/contract/permission-terms'
import { Tag } from '../ui/Tag.tsx'
import { ObjectName } from './ObjectName.tsx'
import { RelationshipText } from './RelationshipText.tsx'
import { printReference } from './reference.ts'
import { formatDuration } from './trace-view.ts'
import { VerdictSign } from './Verdict.tsx'

const operators = {
  union: ['+', 'any of'],
  intersection: ['&', 'all of'],
  exclusion: ['−', 'but not'],
} as const

/** One node of a trace: its step, its resource and its result. */
export function TraceLine({ trace }: { trace: Trace }) {
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

/** The step of a node. */
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
  const [sign, word] = operators[step.kind]
  return <Operator sign={sign} word={word} />
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
