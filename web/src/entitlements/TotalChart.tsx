import { useState } from 'react'
import { addDays, countDays, formatDate, toDay } from './days.ts'
import {
  clipPoints,
  drawing,
  drawSteps,
  findTop,
  listMonths,
  type Period,
  type TotalPoint,
  toShare,
  totalAt,
} from './total-steps.ts'

interface TotalChartProps {
  points: TotalPoint[]
  period: Period
  /** What is counted: “seats”, or “organisations” for a flag. */
  unit: string
  /** The instant of the marker. */
  at: Date
  now: Date
  /** Called with a day that was chosen with the slider. */
  onPick: (day: string) => void
}

const monthFormat = new Intl.DateTimeFormat('en-GB', { month: 'short' })

/** The totals of a year as steps, with a slider that moves the marker. What is to come is dashed. */
export function TotalChart({ points, period, unit, at, now, onPick }: TotalChartProps) {
  const top = findTop(points, period)
  const isInside = at >= period.from && at < period.to
  const dayCount = countDays(period.from, period.to) - 1
  const day = Math.min(Math.max(countDays(period.from, at), 0), dayCount)
  const past = { from: period.from, to: now < period.to ? now : period.to }
  const future = { from: now > period.from ? now : period.from, to: period.to }
  const total = totalAt(points, at).toLocaleString('en')
  const y = drawing.height * (1 - totalAt(points, at) / top)
  const x = `${toShare(period, at) * 100}%`
  return (
    <div className="grid grid-cols-[40px_minmax(0,1fr)] pr-2 text-[11px] leading-[11px] text-ink3">
      <span aria-hidden="true" className="-my-[5px] flex flex-col justify-between">
        {[top, top / 2, 0].map((mark) => (
          <span key={mark}>{mark.toLocaleString('en')}</span>
        ))}
      </span>
      <svg
        role="img"
        aria-label={`${total} ${unit} on ${formatDate(at)}`}
        width="100%"
        height={drawing.height}
        className="block overflow-visible"
      >
        {[0, 0.5, 1].map((share) => (
          <line
            key={share}
            x1="0"
            x2="100%"
            y1={share * drawing.height}
            y2={share * drawing.height}
            stroke="var(--hair)"
          />
        ))}
        <svg
          aria-hidden="true"
          viewBox={`0 0 ${drawing.width} ${drawing.height}`}
          preserveAspectRatio="none"
          className="overflow-visible"
        >
          {past.to > past.from && <Steps path={drawSteps(points, period, past)} />}
          {future.to > future.from && <Steps path={drawSteps(points, period, future)} isFuture />}
        </svg>
        {isInside && (
          <>
            <line x1={x} x2={x} y1={-8} y2={drawing.height} stroke="var(--foil)" strokeWidth="1.5" />
            <circle cx={x} cy={y} r="5" fill="var(--card)" stroke="var(--foil)" strokeWidth="2.5" />
          </>
        )}
      </svg>
      <span />
      <span aria-hidden="true" className="relative mt-2 block h-3.5">
        {listMonths(period).map((month, index) => (
          <span
            key={month.getTime()}
            className={`absolute -translate-x-1/2 ${index % 3 === 0 ? '' : 'max-sm:hidden'}`}
            style={{ left: `${((index + 0.5) / 12) * 100}%` }}
          >
            {monthFormat.format(month)}
          </span>
        ))}
      </span>
      <span />
      {/* As wide as the chart from the middle of its thumb to the middle of its thumb. */}
      <input
        type="range"
        aria-label="Show grants at"
        aria-valuetext={formatDate(at)}
        className="-mx-2 mt-1 h-6 w-[calc(100%+16px)] cursor-pointer accent-(--stamp) pointer-coarse:h-11"
        min={0}
        max={dayCount}
        value={day}
        onChange={({ target }) => onPick(toDay(addDays(period.from, Number(target.value))))}
      />
    </div>
  )
}

function Steps({ path, isFuture = false }: { path: string; isFuture?: boolean }) {
  const [, startX] = /^M(\S+) /.exec(path) ?? []
  return (
    <>
      <path
        d={`${path}V${drawing.height}H${startX}Z`}
        fill={`color-mix(in oklab, var(--data) ${isFuture ? 5 : 12}%, transparent)`}
      />
      <path
        d={path}
        fill="none"
        stroke="var(--data)"
        strokeWidth="1.75"
        vectorEffect="non-scaling-stroke"
        {...(isFuture && { strokeDasharray: '4 4' })}
      />
    </>
  )
}

/** The changes of the total in a period as a table, rendered once it is opened. */
export function TotalTable({ points, period, unit }: Pick<TotalChartProps, 'points' | 'period' | 'unit'>) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="flex h-8 w-fit cursor-pointer items-center text-[13px] text-stamp hover:underline pointer-coarse:h-11">
        Show as table
      </summary>
      {isOpen && (
        <section
          aria-label="Total over time, as a table"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region is scrolled by the keyboard
          tabIndex={0}
          className="max-h-72 overflow-y-auto rounded-ctl border border-line"
        >
          <table className="w-full text-[13px] [&_td]:px-3 [&_td]:py-1.5 [&_td]:text-right [&_th]:px-3 [&_th]:py-1.5 [&_th]:text-left [&_th]:font-[500]">
            <caption className="sr-only">Total over time</caption>
            <thead className="sticky top-0 bg-card text-[12px] text-ink2 [&_th+th]:text-right">
              <tr>
                <th scope="col">From</th>
                <th scope="col" className="first-letter:uppercase">
                  {unit}
                </th>
              </tr>
            </thead>
            <tbody>
              {clipPoints(points, period)
                .toReversed()
                .map(({ at, total }) => (
                  <tr key={at.getTime()} className="border-t border-hair">
                    <th scope="row">{formatDate(at)}</th>
                    <td className="tabular-nums">{total.toLocaleString('en')}</td>
                  </tr>
                ))}
            </tbody>
          </table>
        </section>
      )}
    </details>
  )
}
