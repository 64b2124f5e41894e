/** Returns an upper end for an axis that divides well: 1, 2, 4, 5 or 8 times a power of ten, and at least 4. */
export function findAxisEnd(max: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(max, 1)))
  const end = [1, 2, 4, 5, 8, 10].map((factor) => factor * power).find((candidate) => candidate >= max) ?? max
  return Math.max(end, 4)
}
