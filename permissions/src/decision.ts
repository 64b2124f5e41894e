import type { Permissionship } from './engine.ts'

/** What a trace needs to have for what decided it to be found, whoever tells it. */
interface Traced<T> {
  step: { kind: string; of?: string }
  permissionship: Permissionship
  children: T[]
}

/** A trace with nothing but what decided it: the branch that a union took, the ban that took an answer away. */
export interface Decision<T> {
  trace: T
  branches: Decision<T>[]
}

/** What decided an answer, from the question down. */
export const decisionOf = <T extends Traced<T>>(trace: T): Decision<T> => ({
  trace,
  branches: decisive(trace).map(decisionOf),
})

function decisive<T extends Traced<T>>(trace: T): T[] {
  const { step, permissionship, children } = trace
  if (step.kind === 'exclusion') return decisiveOfExclusion(trace)
  const needsAll = step.kind === 'intersection' || (step.kind === 'arrow' && step.of === 'all')
  if (needsAll) return permissionship === 'noPermission' ? firstThat('noPermission', children) : children
  if (permissionship === 'conditional') return children.filter((child) => child.permissionship === 'conditional')
  if (permissionship === 'hasPermission') return firstThat('hasPermission', children)
  // Of a permission it is its expression; of many branches without an answer none decides.
  return children.length === 1 ? children : []
}

function decisiveOfExclusion<T extends Traced<T>>({ permissionship, children }: T): T[] {
  const [base, ...subtracted] = children
  if (!base || permissionship !== 'noPermission') return children
  if (base.permissionship === 'noPermission') return [base]
  return [base, ...firstThat('hasPermission', subtracted)]
}

const firstThat = <T extends Traced<T>>(permissionship: Permissionship, traces: T[]): T[] =>
  traces.filter((trace) => trace.permissionship === permissionship).slice(0, 1)
