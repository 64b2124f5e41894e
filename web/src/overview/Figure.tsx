import type { ReactNode } from 'react'
import type { Trend } from './figures.ts'

interface FigureProps {
  label: string
  value: string
  /** The difference from the period that `comparison` names. */
  trend?: Trend | undefined
  comparison: ReactNode
  /** A value per day, oldest first. */
  series: number[]
}

/** A key figure with its trend and its last days as a line. */
export function Figure({ label, value, trend, comparison, series }: FigureProps) {
  return (
    <section aria-label={label} className="card grid content-start gap-0.5 p-4 sm:px-[18px]">
      <h2 className="text-[13px] font-[450] text-ink2">{label}</h2>
      <p className="text-[28px] leading-9 font-[640] tracking-[-0.02em]">{value}</p>
      <p className="min-h-5 text-[13px] max-sm:min-h-10 text-ink2">
        {trend && <span className={`font-[580] ${trendColours[trend.tone ?? 'none']}`}>{trend.text} </span>}
        {comparison}
      </p>
      <Line series={series} />
    </section>
  )
}

const trendColours = { ok: 'text-ok', bad: 'text-bad', none: 'text-ink' }

const box = { width: 200, height: 34 }

/** A sparkline. It is decorative, because the figure and the chart have the numbers. */
function Line({ series }: { series: number[] }) {
  const most = Math.max(...series) || 1
  const points = series.map((value, index) => {
    const x = (index / Math.max(1, series.length - 1)) * box.width
    return `${x.toFixed(1)} ${(box.height - 2 - (value / most) * (box.height - 4)).toFixed(1)}`
  })
  const line = `M${points.join('L')}`
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${box.width} ${box.height}`}
      preserveAspectRatio="none"
      className="mt-2 block h-8.5 w-full"
    >
      <path d={`${line}L${box.width} ${box.height}L0 ${box.height}Z`} fill="var(--data)" opacity="0.12" />
      <path d={line} fill="none" stroke="var(--data)" strokeWidth="1.5" vectorEffect="non-scaling-stroke" />
    </svg>
  )
}
