/** The value below which this share of all lies. */
export function percentile(values: Iterable<number>, share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** The one in the middle: what was disturbed once does not count. */
export const middleOfAll = (values: Iterable<number>): number => percentile(values, 0.5)
