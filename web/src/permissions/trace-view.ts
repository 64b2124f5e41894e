import type { Trace } from '@passport/contract/permission-terms'

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
