/** Returns the row that a key leads to from another; undefined for keys without a meaning. Heights are in pixels. */
export function findTargetRow(
  key: string,
  row: number,
  { count, rowHeight, height }: { count: number; rowHeight: number; height: number },
): number | undefined {
  const page = Math.max(1, Math.floor(height / rowHeight) - 1)
  const steps: Record<string, number> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: page,
    PageUp: -page,
    Home: -count,
    End: count,
  }
  const step = steps[key]
  return step === undefined ? undefined : Math.max(0, Math.min(row + step, count - 1))
}
