import type { Permissionship } from '../engine.ts'
import { type Decision, extractDecision } from './decision.ts'

/** A trace in the engine's representation or in that of the API. */
interface Traced<T> {
  step: { kind: string } | { kind: 'relationship'; relationship: object }
  permissionship: Permissionship
  children: T[]
}
type RelationshipOf<T extends Traced<T>> = Extract<T['step'], { relationship: object }>['relationship']

/**
 * Returns the relationships that grant access, from the subject to the resource. An intersection yields one chain per
 * operand. Subtracted and negative branches are omitted.
 */
export const findGrantingChains = <T extends Traced<T>>(trace: T): RelationshipOf<T>[][] =>
  collectChains(extractDecision(trace)).filter((chain) => chain.length > 0)

function collectChains<T extends Traced<T>>({ trace, branches }: Decision<T>): RelationshipOf<T>[][] {
  const { step, permissionship } = trace
  if (permissionship === 'noPermission') return []
  if ('relationship' in step) {
    const below = branches.flatMap(collectChains)
    return (below.length > 0 ? below : [[]]).map((chain) => [...chain, step.relationship as RelationshipOf<T>])
  }
  // The subtracted operand did not deny access; the base, which comes first, granted it.
  if (step.kind === 'exclusion') return branches.slice(0, 1).flatMap(collectChains)
  return branches.flatMap(collectChains)
}
