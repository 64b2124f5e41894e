import { type Decision, decisionOf } from './decision.ts'
import type { Permissionship } from './engine.ts'

/** A trace as this engine has it, or as it is told over the network. */
interface Traced<T> {
  step: { kind: string } | { kind: 'relationship'; relationship: object }
  permissionship: Permissionship
  children: T[]
}
type RelationshipOf<T extends Traced<T>> = Extract<T['step'], { relationship: object }>['relationship']

/**
 * The relationships by which somebody has something, from the subject on to the resource; where several had to hold, one
 * chain each. What is subtracted and what says no is in none of them.
 */
export const chainsOf = <T extends Traced<T>>(trace: T): RelationshipOf<T>[][] =>
  grants(decisionOf(trace)).filter((chain) => chain.length > 0)

function grants<T extends Traced<T>>({ trace, branches }: Decision<T>): RelationshipOf<T>[][] {
  const { step, permissionship } = trace
  if (permissionship === 'noPermission') return []
  if ('relationship' in step) {
    const below = branches.flatMap(grants)
    return (below.length > 0 ? below : [[]]).map((chain) => [...chain, step.relationship as RelationshipOf<T>])
  }
  // What is subtracted did not take it away; what gave it is the first.
  if (step.kind === 'exclusion') return branches.slice(0, 1).flatMap(grants)
  return branches.flatMap(grants)
}
