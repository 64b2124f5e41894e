import { bucketLimitsMs } from '../http/activity.ts'

/**
 * Estimates the percentile of a histogram in ms, by linear interpolation within its bucket. Returns the largest limit for
 * a value beyond it, and null for an empty histogram.
 */
export function estimatePercentile(buckets: number[], share: number): number | null {
  const total = buckets.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const rank = total * share
  let before = 0
  for (const [index, count] of buckets.entries()) {
    const upper = bucketLimitsMs[index]
    if (upper === undefined) break
    if (count > 0 && before + count >= rank) {
      const lower = bucketLimitsMs[index - 1] ?? 0
      return Math.round((lower + ((upper - lower) * (rank - before)) / count) * 10) / 10
    }
    before += count
  }
  return bucketLimitsMs.at(-1) ?? null
}
