import { ArrowRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { printReference } from './reference.ts'

interface Place {
  type: string
  id: string
}

/** One relationship of a path. */
interface Step {
  subject: Place
  relation: string
  resource: Place
  caveat?: { name: string }
}

interface PathChainsProps<S extends Step> {
  chains: S[][]
  isAllowed: boolean
  /** What an object is called. */
  placeOf: (place: S['subject'] | S['resource']) => ReactNode
  /** The relation of a step, with a link to more of it where there is one. */
  relationOf: (step: S) => ReactNode
}

/** How somebody has something: from the subject over what it is in to the resource. */
export function PathChains<S extends Step>({ chains, isAllowed, placeOf, relationOf }: PathChainsProps<S>) {
  if (chains.length === 0)
    return <p className="text-ink2">{isAllowed ? 'By itself: no relationship is needed.' : 'Not any more.'}</p>
  return chains.map((chain, at) => (
    <div key={at} className="grid gap-1">
      {at > 0 && <p className="text-[12px] font-[600] text-ink3">and</p>}
      {/* `user:ada → member of group:staff → viewer of document:handbook` */}
      <ol className="flex flex-wrap items-center gap-x-2 gap-y-1">
        {chain[0] && <li>{placeOf(chain[0].subject)}</li>}
        {chain.map((step, at) => (
          <li key={at} className="flex flex-wrap items-center gap-x-2">
            <ArrowRight size={14} aria-hidden="true" className="text-ink3" />
            <span>
              {relationOf(step)} of {placeOf(step.resource)}
              {step.caveat && <span className="text-ink3"> under {step.caveat.name}</span>}
            </span>
          </li>
        ))}
      </ol>
    </div>
  ))
}

/** What an object is called, or the object itself where it has no name. */
export function PlaceName({ place, name }: { place: Place; name: string | null | undefined }) {
  const called = name ?? (place.id === '*' ? 'Everyone' : undefined)
  return called ? (
    <span className="font-[560]" title={printReference(place)}>
      {called}
    </span>
  ) : (
    <code className="font-mono text-[12.5px] [overflow-wrap:anywhere]">{printReference(place)}</code>
  )
}
