import type { AuditDay } from '@passport/contract/audit'
import { useId, useState } from 'react'
import { describeDays, formatCount, formatDayName, sum } from './days.ts'

const plotHeight = 88
/** The space between the bar of a day and its failures above it. */
const gap = 2
const labels = 5

interface EventChartProps {
  days: AuditDay[]
  /** Shows only the events of a day. */
  onPick: (day: string) => void
}

/** The events of each day as bars, with failed sign-ins on top, and the same numbers as a table. */
export function EventChart({ days, onPick }: EventChartProps) {
  const [isTable, setTable] = useState(false)
  const tableId = useId()
  const max = ceilNicely(Math.max(...days.map(({ events }) => events), 1))
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-5 gap-y-1 text-[12px] text-ink2">
        <Legend className="bg-data" label="Events" total={sum(days, 'events')} />
        <Legend className="bg-data-bad" label="Failed sign-ins" total={sum(days, 'failed')} />
        <button
          type="button"
          className="ml-auto min-h-6 text-[13px] text-ink2 underline-offset-3 hover:underline pointer-coarse:min-h-11"
          aria-expanded={isTable}
          aria-controls={tableId}
          onClick={() => setTable(!isTable)}
        >
          {isTable ? 'Hide table' : 'Show as table'}
        </button>
      </div>
      <div className="mt-2 grid grid-cols-[34px_minmax(0,1fr)] text-[11px] leading-[11px] text-ink3">
        <span aria-hidden="true" className="flex flex-col justify-between" style={{ height: plotHeight }}>
          <span>{formatCount(max)}</span>
          <span>0</span>
        </span>
        <Bars days={days} max={max} onPick={onPick} />
        <span />
        <Axis days={days} />
      </div>
      <div id={tableId} hidden={!isTable}>
        {isTable && <DayTable days={days} onPick={onPick} />}
      </div>
    </>
  )
}

function Legend({ className, label, total }: { className: string; label: string; total: number }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <span className={`size-2.5 rounded-[2.5px] ${className}`} />
      {label} <strong className="font-[620] text-ink">{formatCount(total)}</strong>
    </span>
  )
}

/** Widths are percentages and heights are pixels, so that nothing is stretched. */
function Bars({ days, max, onPick }: EventChartProps & { max: number }) {
  const hatchId = useId()
  const step = 100 / days.length
  const toHeight = (count: number) => (count === 0 ? 0 : Math.max(1.5, (count / max) * (plotHeight - gap - 1)))
  return (
    <svg role="img" aria-label={describeDays(days)} width="100%" height={plotHeight} className="overflow-visible">
      <defs>
        <pattern id={hatchId} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="5" height="5" fill="var(--data-bad)" />
          <rect width="1.5" height="5" fill="var(--card)" />
        </pattern>
      </defs>
      <line x1="0" x2="100%" y1="0.5" y2="0.5" stroke="var(--hair)" />
      <line x1="0" x2="100%" y1={plotHeight - 0.5} y2={plotHeight - 0.5} stroke="var(--line)" />
      {days.map(({ day, events, failed }, index) => {
        const [plain, bad] = [toHeight(events - failed), toHeight(failed)]
        const bar = { x: `${index * step + step * 0.16}%`, width: `${step * 0.68}%` }
        const plainTop = plotHeight - plain
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: the table has a button for each day
          <g key={day} className="cursor-pointer" onClick={() => onPick(day)}>
            <title>{`${formatDayName(day, true)}: ${formatCount(events)} events, ${formatCount(failed)} failed sign-ins`}</title>
            <rect x={`${index * step}%`} width={`${step}%`} y="0" height={plotHeight} fill="transparent" />
            <rect {...bar} y={plainTop} height={plain} fill="var(--data)" />
            <rect {...bar} y={plainTop - (plain ? gap : 0) - bad} height={bad} fill={`url(#${hatchId})`} />
          </g>
        )
      })}
    </svg>
  )
}

/** A few names of days, below their bars. */
function Axis({ days }: { days: AuditDay[] }) {
  const every = Math.max(1, Math.ceil(days.length / labels))
  return (
    <span aria-hidden="true" className="relative mt-1.5 block h-3.5">
      {days.map(({ day }, index) =>
        (days.length - 1 - index) % every === 0 ? (
          <span
            key={day}
            className="absolute -translate-x-1/2 whitespace-nowrap last:right-0 last:translate-x-0"
            style={
              index === days.length - 1 && days.length > 1 ? {} : { left: `${((index + 0.5) / days.length) * 100}%` }
            }
          >
            {formatDayName(day)}
          </span>
        ) : null,
      )}
    </span>
  )
}

/** The days with events, newest first. */
function DayTable({ days, onPick }: EventChartProps) {
  const shown = days.filter(({ events }) => events > 0).toReversed()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard
    <section aria-label="Numbers of events" tabIndex={0} className="mt-3 max-h-64 overflow-y-auto border-t border-hair">
      <table className="w-full text-left text-[13px] [&_td]:py-1 [&_th]:py-1.5 [&_th]:font-[500] [&_th]:text-ink3">
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col" className="text-right">
              Events
            </th>
            <th scope="col" className="text-right">
              Failed sign-ins
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ day, events, failed }) => (
            <tr key={day} className="border-t border-hair">
              <td>
                <button
                  type="button"
                  className="text-stamp hover:underline pointer-coarse:min-h-11"
                  onClick={() => onPick(day)}
                >
                  {formatDayName(day, true)}
                </button>
              </td>
              <td className="text-right">{formatCount(events)}</td>
              <td className="text-right">{formatCount(failed)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Rounds up to 1, 2 or 5 times a power of ten. */
function ceilNicely(max: number): number {
  const power = 10 ** Math.floor(Math.log10(max))
  return [1, 2, 5, 10].map((factor) => factor * power).find((limit) => limit >= max) ?? max
}
