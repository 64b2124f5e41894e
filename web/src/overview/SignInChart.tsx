import type { Overview } from '@passport/contract/overview'
import { useId, useLayoutEffect, useRef, useState } from 'react'
import { axisEnd, formatDay, formatNumber, formatShare } from './figures.ts'

type Days = Overview['days']

const height = 190
const plot = { top: 8, bottom: 166, left: 36 }

/** Sign-ins per day as stacked bars, failures on top, with the same numbers as a table. */
export function SignInChart({ days }: { days: Days }) {
  const sum = (key: 'succeeded' | 'failed') => days.reduce((total, day) => total + day[key], 0)
  const [succeeded, failed] = [sum('succeeded'), sum('failed')]
  return (
    <div className="px-4 pb-3 sm:px-[18px]">
      <ul className="flex flex-wrap gap-x-5 gap-y-1 text-[12px] text-ink2">
        <li className="flex items-center gap-1.5">
          <span aria-hidden="true" className="size-2.5 rounded-[3px] bg-data" />
          Succeeded <strong className="font-[620] text-ink">{formatNumber(succeeded)}</strong>
        </li>
        <li className="flex items-center gap-1.5">
          <svg aria-hidden="true" viewBox="0 0 10 10" className="size-2.5">
            <rect width="10" height="10" rx="3" fill="var(--data-bad)" />
            <path d="M0 10 10 0" stroke="var(--card)" strokeWidth="1.5" />
          </svg>
          Failed <strong className="font-[620] text-ink">{formatNumber(failed)}</strong>
        </li>
      </ul>
      <Bars
        days={days}
        label={`${formatNumber(succeeded)} sign-ins succeeded and ${formatNumber(failed)} failed (${formatShare(failed, succeeded + failed)}) in ${days.length} days`}
      />
      <AsTable days={days} />
    </div>
  )
}

/** Drawn at the width of the element, so that texts and lines keep their size; positioned, so that it can shrink. */
function Bars({ days, label }: { days: Days; label: string }) {
  const id = useId()
  const frame = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = frame.current
    if (!element) return
    const measure = () => setWidth(element.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const end = axisEnd(Math.max(...days.map(({ succeeded, failed }) => succeeded + failed)))
  const heightOf = (count: number) => (count / end) * (plot.bottom - plot.top)
  const step = (width - plot.left) / days.length
  const barWidth = Math.max(2, step * 0.68)
  const labelEvery = width < 500 ? 10 : 7
  return (
    <div ref={frame} className="relative mt-2" style={{ height }}>
      {width > 0 && (
        <svg role="img" aria-label={label} width={width} height={height} className="absolute inset-0">
          <defs>
            <pattern id={id} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <rect width="5" height="5" fill="var(--data-bad)" />
              <rect width="1.5" height="5" fill="var(--card)" />
            </pattern>
          </defs>
          {[0, end / 2, end].map((value) => {
            const y = plot.bottom - heightOf(value)
            return (
              <g key={value}>
                <line x1={plot.left} x2={width} y1={y} y2={y} stroke="var(--hair)" />
                <text x="0" y={y + 4} fontSize="11" fill="var(--ink3)">
                  {formatNumber(value)}
                </text>
              </g>
            )
          })}
          {days.map(({ day, succeeded, failed }, index) => {
            const x = plot.left + index * step + (step - barWidth) / 2
            const top = plot.bottom - heightOf(succeeded)
            // At least 2 px, so that a single failure is seen.
            const failedHeight = failed === 0 ? 0 : Math.max(2, heightOf(failed) - 2)
            return (
              <g key={day}>
                <title>{`${formatDay(day)}: ${formatNumber(succeeded)} succeeded, ${formatNumber(failed)} failed`}</title>
                <rect x={plot.left + index * step} y={plot.top} width={step} height={plot.bottom} fill="transparent" />
                <rect x={x} y={top} width={barWidth} height={plot.bottom - top} fill="var(--data)" />
                <rect x={x} y={top - 2 - failedHeight} width={barWidth} height={failedHeight} fill={`url(#${id})`} />
                {(days.length - 1 - index) % labelEvery === 0 && (
                  <text
                    x={Math.min(x + barWidth / 2, width - 18)}
                    y={height - 6}
                    fontSize="11"
                    fill="var(--ink3)"
                    textAnchor="middle"
                  >
                    {formatDay(day)}
                  </text>
                )}
              </g>
            )
          })}
        </svg>
      )}
    </div>
  )
}

function AsTable({ days }: { days: Days }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="mt-1" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="flex h-8 w-fit cursor-pointer items-center text-[13px] text-ink2 hover:text-ink pointer-coarse:h-11">
        Show as table
      </summary>
      {isOpen && (
        <section
          aria-label="Sign-ins per day"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region is scrolled by the keyboard
          tabIndex={0}
          className="max-h-72 overflow-y-auto rounded-ctl border border-line"
        >
          <table className="w-full text-[13px] [&_td]:px-3 [&_td]:py-1.5 [&_td]:text-right [&_th]:px-3 [&_th]:py-1.5 [&_th]:font-[500]">
            <caption className="sr-only">Sign-ins per day, in UTC</caption>
            <thead className="sticky top-0 bg-card text-[12px] text-ink2">
              <tr>
                <th scope="col" className="text-left">
                  Day (UTC)
                </th>
                <th scope="col" className="text-right">
                  Succeeded
                </th>
                <th scope="col" className="text-right">
                  Failed
                </th>
              </tr>
            </thead>
            <tbody>
              {days.toReversed().map(({ day, succeeded, failed }) => (
                <tr key={day} className="border-t border-hair">
                  <th scope="row" className="text-left">
                    {formatDay(day)}
                  </th>
                  <td>{formatNumber(succeeded)}</td>
                  <td>{formatNumber(failed)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </details>
  )
}
