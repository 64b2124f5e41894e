import type { Trace } from '@passport/contract/permission-terms'

/** Returns the nesting depth of permissions and relations. */
export function traceDepth({ step, children }: Trace): number {
  const ownDepth = step.kind === 'permission' || step.kind === 'relation' ? 1 : 0
  return ownDepth + Math.max(0, ...children.map(traceDepth))
}

/** Formats microseconds: `38 µs`, `0.42 ms`, `1.2 s`. */
export function formatDuration(microseconds: number): string {
  if (microseconds < 100) return `${Math.round(microseconds)} µs`
  if (microseconds < 10_000) return `${(microseconds / 1000).toFixed(2)} ms`
  if (microseconds < 1_000_000) return `${Math.round(microseconds / 1000)} ms`
  return `${(microseconds / 1_000_000).toFixed(1)} s`
}
