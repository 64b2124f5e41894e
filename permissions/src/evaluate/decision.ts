import type { Permissionship } from './trace.ts'

/** The part of a trace needed to find what decided it, in the engine's representation or that of the API. */
interface Traced<T> {
  step: { kind: string; of?: string; relationship?: object }
  permissionship: Permissionship
  children: T[]
}

/** The deciding part of a trace: the deciding branch of a union, the subtracted operand that denied it. */
export interface Decision<T> {
  trace: T
  branches: Decision<T>[]
}

/** Extracts what decided an answer, from the root down. */
export const extractDecision = <T extends Traced<T>>(trace: T): Decision<T> => ({
  trace,
  branches: decidingChildren(trace).map(extractDecision),
})

function decidingChildren<T extends Traced<T>>(trace: T): T[] {
  const { step, permissionship, children } = trace
  if (step.kind === 'exclusion') return decidingOperands(trace)
  const needsAll = step.kind === 'intersection' || (step.kind === 'arrow' && step.of === 'all')
  if (needsAll) return permissionship === 'noPermission' ? firstWith('noPermission', children) : children
  if (permissionship === 'conditional') return children.filter((child) => child.permissionship === 'conditional')
  if (permissionship === 'hasPermission') return firstWith('hasPermission', children)
  // For a permission, its expression; among several branches without a result, none decides.
  return children.length === 1 ? children : []
}

function decidingOperands<T extends Traced<T>>({ permissionship, children }: T): T[] {
  const [base, ...subtracted] = children
  if (!base || permissionship !== 'noPermission') return children
  if (base.permissionship === 'noPermission') return [base]
  return [base, ...firstWith('hasPermission', subtracted)]
}

const firstWith = <T extends Traced<T>>(permissionship: Permissionship, traces: T[]): T[] =>
  traces.filter((trace) => trace.permissionship === permissionship).slice(0, 1)

type RelationshipOf<T extends Traced<T>> = Extract<T['step'], { relationship: object }>['relationship']

/**
 * Returns the relationships that grant access, from the subject to the resource. An intersection yields one chain per
 * operand. Subtracted and negative branches are omitted.
 */
export const findGrantingChains = <T extends Traced<T>>(trace: T): RelationshipOf<T>[][] =>
  toChains(extractDecision(trace))

/**
 * Returns what an exclusion takes away: the chains that would grant access, and those of the subtracted operand that
 * denies it. Undefined if the answer was not decided by an exclusion.
 */
export function findExclusion<T extends Traced<T>>(trace: T) {
  const find = ({ trace, branches }: Decision<T>): Decision<T> | undefined =>
    trace.step.kind === 'exclusion' && trace.permissionship === 'noPermission' && branches.length > 1
      ? { trace, branches }
      : branches.map(find).find((found) => found !== undefined)
  const [granted, excluded] = find(extractDecision(trace))?.branches ?? []
  if (!granted || !excluded) return undefined
  return { granted: toChains(granted), excluded: toChains(excluded) }
}

const toChains = <T extends Traced<T>>(decision: Decision<T>): RelationshipOf<T>[][] =>
  collectChains(decision).filter((chain) => chain.length > 0)

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
