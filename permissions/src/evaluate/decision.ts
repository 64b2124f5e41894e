import type { Permissionship } from '../engine.ts'

/** The part of a trace needed to find what decided it, in any representation. */
interface Traced<T> {
  step: { kind: string; of?: string }
  permissionship: Permissionship
  children: T[]
}

/** A trace reduced to what decided it: the deciding branch of a union, the subtracted operand that denied it. */
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
