/** Returns the value below which this share of all values lies. */
export function percentile(values: Iterable<number>, share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** Returns the median, which ignores a disturbed run. */
export const median = (values: Iterable<number>): number => percentile(values, 0.5)
