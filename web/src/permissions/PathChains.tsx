import { ArrowRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { printReference } from './reference.ts'

interface PathObject {
  type: string
  id: string
}

/** One relationship of a path. */
interface Step {
  subject: PathObject
  relation: string
  resource: PathObject
  caveat?: { name: string }
}

interface PathChainsProps<S extends Step> {
  chains: S[][]
  isAllowed: boolean
  /** Renders an object. */
  renderObject: (object: S['subject'] | S['resource']) => ReactNode
  /** Renders the relation of a step, linked if possible. */
  renderRelation: (step: S) => ReactNode
}

/** The paths by which a subject has a permission, from the subject to the resource. */
export function PathChains<S extends Step>({ chains, isAllowed, renderObject, renderRelation }: PathChainsProps<S>) {
  if (chains.length === 0)
    return <p className="text-ink2">{isAllowed ? 'No relationship needed' : 'No longer granted'}</p>
  return chains.map((chain, index) => (
    <div key={index} className="grid gap-1">
      {index > 0 && <p className="text-[12px] font-[600] text-ink3">and</p>}
      {/* `user:ada → member of group:staff → viewer of document:handbook` */}
      <ol className="flex flex-wrap items-center gap-x-2 gap-y-1">
        {chain[0] && <li>{renderObject(chain[0].subject)}</li>}
        {chain.map((step, index) => (
          <li key={index} className="flex flex-wrap items-center gap-x-2">
            <ArrowRight size={14} aria-hidden="true" className="text-ink3" />
            <span>
              {renderRelation(step)} of {renderObject(step.resource)}
              {step.caveat && <span className="text-ink3"> if {step.caveat.name}</span>}
            </span>
          </li>
        ))}
      </ol>
    </div>
  ))
}

/** The name of an object, or its reference if it has none. */
export function ObjectLabel({ object, name }: { object: PathObject; name: string | null | undefined }) {
  const label = name ?? (object.id === '*' ? 'Everyone' : undefined)
  return label ? (
    <span className="font-[560]" title={printReference(object)}>
      {label}
    </span>
  ) : (
    <code className="font-mono text-[12.5px] [overflow-wrap:anywhere]">{printReference(object)}</code>
  )
}
