interface SparklineProps {
  /** Oldest first; null is a gap. */
  series: (number | null)[]
  /** The conclusion as a sentence; without it, the line is decorative, because the numbers are beside it. */
  label?: string
  /** The width and the height. */
  className: string
}

const box = { width: 200, height: 34 }

/** A line without axes, from zero to the largest value, as wide as its class says. */
export function Sparkline({ series, label, className }: SparklineProps) {
  const most = Math.max(...series.map((value) => value ?? 0)) || 1
  const points = series.map((value, index) => {
    if (value === null) return null
    const x = (index / Math.max(1, series.length - 1)) * box.width
    return { x: x.toFixed(1), y: (box.height - 2 - (value / most) * (box.height - 4)).toFixed(1) }
  })
  const segments = splitAtGaps(points).map((segment) => {
    const [first, last] = [segment[0], segment.at(-1)]
    // A single value between two gaps is a dot, which a line of no length with round ends draws.
    const line = `M${segment.map(({ x, y }) => `${x} ${y}`).join('L')}${segment.length === 1 ? 'h0.01' : ''}`
    return { line, area: `${line}L${last?.x} ${box.height}L${first?.x} ${box.height}Z` }
  })
  return (
    <svg
      role={label === undefined ? 'presentation' : 'img'}
      aria-label={label}
      aria-hidden={label === undefined}
      viewBox={`0 0 ${box.width} ${box.height}`}
      preserveAspectRatio="none"
      className={`block ${className}`}
    >
      <path d={segments.map(({ area }) => area).join('')} fill="var(--data)" opacity="0.12" />
      <path
        d={segments.map(({ line }) => line).join('')}
        fill="none"
        stroke="var(--data)"
        strokeWidth="1.5"
        strokeLinecap="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  )
}

/** Splits a series into its runs without null. */
function splitAtGaps<T>(series: (T | null)[]): T[][] {
  const runs: T[][] = []
  let isGap = true
  for (const point of series) {
    if (point !== null && isGap) runs.push([point])
    else if (point !== null) runs.at(-1)?.push(point)
    isGap = point === null
  }
  return runs
}
