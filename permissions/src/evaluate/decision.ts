import type { Permissionship } from './trace.ts'

/** The members of a trace that determine its decision, which the engine's trace and that of the API have in common. */
interface Traced<T> {
  step: { kind: string; of?: string; relationship?: object }
  permissionship: Permissionship
  children: T[]
}

/** The deciding part of a trace, such as the granting branch of a union or the denying operand of an exclusion. */
export interface Decision<T> {
  trace: T
  branches: Decision<T>[]
}

/** Extracts the deciding part of a trace. */
export const extractDecision = <T extends Traced<T>>(trace: T): Decision<T> => ({
  trace,
  branches: selectDecidingChildren(trace).map(extractDecision),
})

function selectDecidingChildren<T extends Traced<T>>(trace: T): T[] {
  const { step, permissionship, children } = trace
  if (step.kind === 'exclusion') return selectDecidingOperands(trace)
  const needsAll = step.kind === 'intersection' || (step.kind === 'arrow' && step.of === 'all')
  if (needsAll) return permissionship === 'noPermission' ? takeFirst('noPermission', children) : children
  if (permissionship === 'conditional') return children.filter((child) => child.permissionship === 'conditional')
  if (permissionship === 'hasPermission') return takeFirst('hasPermission', children)
  // A permission has its expression as only child. Among several denying branches, none decides.
  return children.length === 1 ? children : []
}

function selectDecidingOperands<T extends Traced<T>>({ permissionship, children }: T): T[] {
  const [base, ...subtracted] = children
  if (!base || permissionship !== 'noPermission') return children
  if (base.permissionship === 'noPermission') return [base]
  return [base, ...takeFirst('hasPermission', subtracted)]
}

const takeFirst = <T extends Traced<T>>(permissionship: Permissionship, traces: T[]): T[] =>
  traces.filter((trace) => trace.permissionship === permissionship).slice(0, 1)

type RelationshipOf<T extends Traced<T>> = Extract<T['step'], { relationship: object }>['relationship']

/**
 * Returns the chains of relationships that grant access, each from the subject to the resource. An intersection has at
 * least one chain for each operand. Omits denying branches and subtracted operands.
 */
export const findGrantingChains = <T extends Traced<T>>(trace: T): RelationshipOf<T>[][] =>
  toChains(extractDecision(trace))

/**
 * Returns the chains of the exclusion that denied access: those that would grant it, and those of the subtracted
 * operand. Returns undefined if no exclusion decided.
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
