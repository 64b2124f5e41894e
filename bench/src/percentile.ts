/** Returns the value below which this share (0 to 1) of all values lies. */
export function percentile(values: Iterable<number>, share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** Returns the median, so that one disturbed run does not count. */
export const median = (values: Iterable<number>): number => percentile(values, 0.5)
