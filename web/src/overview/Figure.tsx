import type { ReactNode } from 'react'
import { Sparkline } from '../ui/Sparkline.tsx'
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
      <Sparkline series={series} className="mt-2 h-8.5 w-full" />
    </section>
  )
}

const trendColours = { ok: 'text-ok', bad: 'text-bad', none: 'text-ink' }
