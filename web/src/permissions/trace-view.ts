import type { Trace } from '@passport/contract/permission-terms'

/** A trace with nothing but what decided it: the branch that a union took, the ban that took an answer away. */
export interface Decision {
  trace: Trace
  branches: Decision[]
}

/** What decided an answer, from the question down. */
export const decisionOf = (trace: Trace): Decision => ({ trace, branches: decisive(trace).map(decisionOf) })

function decisive(trace: Trace): Trace[] {
  const { step, permissionship, children } = trace
  if (step.kind === 'exclusion') return decisiveOfExclusion(trace)
  const needsAll = step.kind === 'intersection' || (step.kind === 'arrow' && step.of === 'all')
  if (needsAll) return permissionship === 'noPermission' ? firstThat('noPermission', children) : children
  if (permissionship === 'conditional') return children.filter((child) => child.permissionship === 'conditional')
  if (permissionship === 'hasPermission') return firstThat('hasPermission', children)
  // Of a permission it is its expression; of many branches without an answer none decides.
  return children.length === 1 ? children : []
}

function decisiveOfExclusion({ permissionship, children }: Trace): Trace[] {
  const [base, ...subtracted] = children
  if (!base || permissionship !== 'noPermission') return children
  if (base.permissionship === 'noPermission') return [base]
  return [base, ...firstThat('hasPermission', subtracted)]
}

const firstThat = (permissionship: Trace['permissionship'], traces: Trace[]): Trace[] =>
  traces.filter((trace) => trace.permissionship === permissionship).slice(0, 1)

/** How many permissions and relations were asked one inside the other. */
export function depthOf({ step, children }: Trace): number {
  const own = step.kind === 'permission' || step.kind === 'relation' ? 1 : 0
  return own + Math.max(0, ...children.map(depthOf))
}

/** Microseconds in words: `38 µs`, `0.42 ms`, `1.2 s`. */
export function durationText(microseconds: number): string {
  if (microseconds < 100) return `${Math.round(microseconds)} µs`
  if (microseconds < 10_000) return `${(microseconds / 1000).toFixed(2)} ms`
  if (microseconds < 1_000_000) return `${Math.round(microseconds / 1000)} ms`
  return `${(microseconds / 1_000_000).toFixed(1)} s`
}
