import type { Relationship, Trace } from '@passport/contract/permission-terms'
import { type Decision, decisionOf } from './trace-view.ts'

/** The relationships by which somebody has something, from the subject on; where several had to hold, one chain each. */
export const chainsOf = (trace: Trace): Relationship[][] =>
  grants(decisionOf(trace)).filter((chain) => chain.length > 0)

function grants({ trace, branches }: Decision): Relationship[][] {
  const { step, permissionship } = trace
  if (permissionship === 'noPermission') return []
  if (step.kind === 'relationship') {
    const below = join(branches)
    return (below.length > 0 ? below : [[]]).map((chain) => [...chain, step.relationship])
  }
  // What is subtracted did not take it away; what gave it is the first.
  if (step.kind === 'exclusion') return branches.slice(0, 1).flatMap(grants)
  return join(branches)
}

const join = (branches: Decision[]) => branches.flatMap(grants)
