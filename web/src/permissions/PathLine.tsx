import type { RelationshipKey } from '@passport/contract/permission-terms'
import { toExactFilter } from '@passport/permissions'
import { Link } from '@tanstack/react-router'
import { ArrowRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { type Nameable, ObjectLabel, ObjectPicture } from './ObjectName.tsx'
import { describeType } from './reference.ts'

/** One relationship of a path. */
export interface PathStep {
  subject: Nameable & { relation?: string | undefined }
  relation: string
  resource: Nameable
  caveat?: { name: string }
}

interface PathLinesProps {
  chains: PathStep[][]
  isAllowed: boolean
  /** Whether relations are links to the Relation Viewer, which only administrators can open. */
  isLinked?: boolean
}

/** The paths by which a subject has a permission, each as a line from the subject to the resource. */
export function PathLines({ chains, isAllowed, isLinked = false }: PathLinesProps) {
  if (chains.length === 0)
    return <p className="text-ink2">{isAllowed ? 'No relationship needed' : 'No longer granted'}</p>
  return chains.map((chain, index) => (
    <div key={index} className="grid gap-1">
      {index > 0 && <p className="text-[12px] font-[600] text-ink3">and</p>}
      {/* Ada → member of Staff → viewer of handbook */}
      <ol className="flex flex-wrap items-center gap-x-2 gap-y-1.5">
        {chain[0] && (
          <li className="min-w-0">
            <SmallObject object={chain[0].subject} />
          </li>
        )}
        {chain.map((step, index) => (
          <li key={index} className="flex min-w-0 flex-wrap items-center gap-x-2">
            <span className="inline-flex min-w-0 items-center gap-x-2">
              <ArrowRight size={14} aria-hidden="true" className="shrink-0 text-ink3" />
              <span>
                <Relation step={step} isLinked={isLinked} /> of{' '}
              </span>
            </span>
            <SmallObject object={step.resource} />
            <Condition step={step} />
          </li>
        ))}
      </ol>
    </div>
  ))
}

function SmallObject({ object }: { object: Nameable }) {
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5">
      <ObjectPicture object={object} size={22} />
      <ObjectLabel object={object} />
    </span>
  )
}

function Relation({ step, isLinked }: { step: PathStep; isLinked: boolean }) {
  if (!isLinked) return step.relation
  return (
    <Link
      to="/admin/tools/relations"
      search={toExactFilter(step as RelationshipKey) as never}
      className="link inline-block leading-6"
    >
      {step.relation}
    </Link>
  )
}

const Condition = ({ step: { caveat } }: { step: PathStep }) =>
  caveat && <span className="text-ink3"> if {caveat.name}</span>

export type PathTone = 'ok' | 'warn' | 'bad'
const toneClasses: Record<PathTone, string> = { ok: 'text-ok', warn: 'text-warn', bad: 'text-bad' }

interface PathPictureProps {
  chain: PathStep[]
  /** The subject of the question, to precede the wildcard that includes it. */
  subject?: PathStep['subject']
  tone: PathTone
  /** The accessible name of the list. */
  label: string
}

/** A path drawn from the subject to the resource: across a wide page, downwards on a narrow one. */
export function PathPicture({ chain, subject, tone, label }: PathPictureProps) {
  const [first] = chain
  if (!first) return null
  return (
    <ol aria-label={label} className="flex flex-col px-4 py-3 nav:flex-row nav:items-start">
      {subject && subject.id !== '*' && first.subject.id === '*' && (
        <>
          <Node object={subject} />
          <Edge tone={tone}>included in</Edge>
        </>
      )}
      <Node object={first.subject} />
      {chain.map((step, index) => (
        <Hop key={index} step={step} tone={tone} />
      ))}
    </ol>
  )
}

/** A subject and a resource without a path between them. */
export function MissingPath({ subject, resource, children }: Pick<PathStep, 'subject' | 'resource'> & ChildrenProps) {
  return (
    <ol aria-label="No path" className="flex flex-col px-4 py-3 nav:flex-row nav:items-start">
      <Node object={subject} />
      <Edge tone="bad" isBroken>
        {children}
      </Edge>
      <Node object={resource} />
    </ol>
  )
}

interface ChildrenProps {
  children: ReactNode
}

function Hop({ step, tone }: { step: PathStep; tone: PathTone }) {
  return (
    <>
      <Edge tone={tone}>
        <Relation step={step} isLinked /> of
        <Condition step={step} />
      </Edge>
      <Node object={step.resource} />
    </>
  )
}

function Node({ object }: { object: PathStep['subject'] }) {
  return (
    <li className="flex min-w-0 items-center gap-3.5 nav:w-40 nav:shrink-0 nav:flex-col nav:gap-2 nav:px-2 nav:text-center">
      <span className="shrink-0 rounded-full p-1 has-[.rounded-lg]:rounded-xl shadow-[inset_0_0_0_1px_color-mix(in_oklab,var(--foil)_70%,transparent)]">
        <ObjectPicture object={object} size={52} />
      </span>
      <span className="min-w-0 leading-snug nav:w-full">
        <span className="block">
          <ObjectLabel object={object} />
        </span>
        <span className="block text-[13px] text-ink3 [overflow-wrap:anywhere]">
          {object.id === '*'
            ? `Every ${describeType({ type: object.type }).toLowerCase()}`
            : describeType({ type: object.type })}
        </span>
      </span>
    </li>
  )
}

function Edge({ tone, isBroken = false, children }: ChildrenProps & { tone: PathTone; isBroken?: boolean }) {
  return (
    <li className="flex min-h-11 items-center gap-4 nav:min-w-24 nav:flex-1 nav:flex-col nav:gap-1 nav:pt-1">
      <span className="order-2 min-w-0 text-[13px] leading-6 nav:order-1 nav:text-center">{children}</span>
      <span
        aria-hidden="true"
        className={`relative order-1 ml-[29px] h-full min-h-9 w-0 border-l-2 nav:order-2 nav:ml-0 nav:h-0 nav:min-h-0 nav:w-full nav:border-t-2 nav:border-l-0 ${isBroken ? 'border-dashed' : ''} ${toneClasses[tone]} border-current`}
      >
        <span className="absolute -bottom-0.5 -left-[6px] border-5 border-transparent border-t-current nav:-top-[6px] nav:right-0 nav:bottom-auto nav:left-auto nav:border-t-transparent nav:border-r-0 nav:border-l-current" />
      </span>
    </li>
  )
}
