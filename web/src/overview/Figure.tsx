import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Sparkline } from '../ui/Sparkline.tsx'
import type { Trend } from './figures.ts'

interface FigureProps {
  label: string
  value: string
  /** The difference from the period that `comparison` names. */
  trend?: Trend | undefined
  comparison: ReactNode
  /** A value per day, oldest first; null is a gap. */
  series: (number | null)[]
  /** The page with what is counted, filtered. */
  to: string
  search?: Record<string, string>
}

/** A key figure with its trend and its last days as a line. All of it is a link to what it counts. */
export function Figure({ label, value, trend, comparison, series, to, search = {} }: FigureProps) {
  return (
    <section
      aria-label={label}
      className="relative card grid max-md:first:col-span-2 content-start gap-0.5 p-4 hover:border-edge sm:px-[18px]"
    >
      <h2 className="text-[13px] font-[450] text-ink2">
        <Link to={to as never} search={search as never} className="after:absolute after:inset-0 after:rounded-box">
          {label}
        </Link>
      </h2>
      <p className="text-[28px] leading-9 font-[640] tracking-[-0.02em]">{value}</p>
      <p className="min-h-5 text-[13px] text-ink2">
        {trend && <span className={`font-[580] ${trendColours[trend.tone ?? 'none']}`}>{trend.text} </span>}
        {comparison}
      </p>
      {/* A single day is no line. */}
      {series.filter((value) => value !== null).length > 1 ? (
        <Sparkline series={series} className="mt-2 h-8.5 w-full" />
      ) : (
        <div className="mt-2 h-8.5" />
      )}
    </section>
  )
}

const trendColours = { ok: 'text-ok', bad: 'text-bad', none: 'text-ink' }
