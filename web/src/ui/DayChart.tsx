import { useId } from 'react'
import { findAxisEnd } from './axis-end.ts'
import { Hatch, LegendItem } from './ChartParts.tsx'
import { ChartTable } from './ChartTable.tsx'
import { formatDay } from './format-day.ts'

/** The numbers of a day, such as `2026-11-14`, or of another period that `formatPeriod` can read. */
export interface DayCount {
  day: string
  count: number
  failed: number
}

interface DayChartProps {
  /** The name of the table: “Sign-ins per day”. */
  name: string
  /** The conclusion as a sentence, for users who do not see the chart. */
  label: string
  /** What is counted, for the legend and the table. Without `failed`, the chart has one part and no legend. */
  names: { count: string; failed?: string }
  /** Oldest first, without gaps. */
  days: DayCount[]
  /** Whether `count` includes the failures. They are stacked on top of the other part either way. */
  isInclusive?: boolean
  /** The height of the bars in pixels. */
  height: number
  /** The rows of the table with their header; the days by default. */
  table?: { header: string; rows: DayCount[] }
  /** Called with the day of a clicked bar; the table then has a button for each day, for the keyboard. */
  onPick?: (day: string) => void
  /** Formats a period for the axis and, long, for the table; of a day by default. */
  formatPeriod?: (day: string, isLong?: boolean) => string
}

/** The minimum height of a part that is not zero, in pixels. */
const minHeight = 1
/** From this height in pixels a part shows its hatching and has a wide gap below it. */
const minHeightOfHatch = 4
/** From this height the axis has a number in the middle. */
const minHeightOfMiddle = 120
const maxDayLabels = 5

const number = new Intl.NumberFormat('en')

/**
 * Draws a bar for each day with its failures on top, hatched, and lists the same numbers in a table. Widths are
 * percentages and heights are pixels, so that texts and lines keep their size in a window of any width.
 */
export function DayChart(props: DayChartProps) {
  const { names, days, isInclusive = false, height } = props
  const max = findAxisEnd(Math.max(...days.map(({ count, failed }) => (isInclusive ? count : count + failed))))
  const marks = height < minHeightOfMiddle ? [max, 0] : [max, max / 2, 0]
  return (
    <>
      {names.failed && (
        <ul className="flex flex-wrap gap-x-5 gap-y-1 text-[12px] text-ink2">
          <LegendItem name={names.count} total={sum(days, 'count')} />
          <LegendItem name={names.failed} total={sum(days, 'failed')} isFailed />
        </ul>
      )}
      <div className="mt-2.5 grid grid-cols-[36px_minmax(0,1fr)] text-[11px] leading-[11px] text-ink3">
        <span aria-hidden="true" className="-my-[5px] flex flex-col justify-between">
          {marks.map((mark) => (
            <span key={mark}>{number.format(mark)}</span>
          ))}
        </span>
        <Bars {...props} max={max} marks={marks.length} />
        <span />
        <DayAxis {...props} />
      </div>
      <NumberTable {...props} />
    </>
  )
}

function Bars(props: DayChartProps & { max: number; marks: number }) {
  const { label, names, days, isInclusive, height, onPick, formatPeriod = formatDay, max, marks } = props
  const hatchId = useId()
  const step = 100 / days.length
  const toHeight = (part: number) => (part === 0 ? 0 : Math.max(minHeight, (part / max) * height))
  return (
    <svg role="img" aria-label={label} width="100%" height={height} className="block overflow-visible">
      <Hatch id={hatchId} />
      {Array.from({ length: marks }, (_, index) => {
        const y = (index / (marks - 1)) * height
        return <line key={index} x1="0" x2="100%" y1={y} y2={y} stroke="var(--hair)" />
      })}
      {days.map(({ day, count, failed }, index) => {
        const plainHeight = toHeight(isInclusive ? count - failed : count)
        const failedHeight = toHeight(failed)
        const isHatched = failedHeight >= minHeightOfHatch
        // The gap is cut out of the lower part, so that the whole bar has the height of the total.
        const gap = failed === 0 || plainHeight === 0 ? 0 : isHatched ? 2 : 1
        const bar = { x: `${index * step + step * 0.16}%`, width: `${step * 0.68}%` }
        const failures = names.failed ? `, ${number.format(failed)} ${names.failed.toLowerCase()}` : ''
        const title = `${formatPeriod(day)}: ${number.format(count)} ${names.count.toLowerCase()}${failures}`
        return (
          <g key={day} {...(onPick && { className: 'cursor-pointer', onClick: () => onPick(day) })}>
            <title>{title}</title>
            {/* The pointer finds a day above its bar too. */}
            <rect x={`${index * step}%`} width={`${step}%`} height={height} fill="transparent" />
            <rect {...bar} y={height - plainHeight + gap} height={Math.max(0, plainHeight - gap)} fill="var(--data)" />
            <rect
              {...bar}
              y={height - plainHeight - failedHeight}
              height={failedHeight}
              fill={isHatched ? `url(#${hatchId})` : 'var(--data-bad)'}
            />
          </g>
        )
      })}
    </svg>
  )
}

/** A few dates below their bars. The last day always has one, at the right edge. */
function DayAxis({ days, formatPeriod = formatDay }: DayChartProps) {
  const every = Math.max(1, Math.ceil(days.length / maxDayLabels))
  const last = days.length - 1
  return (
    <span aria-hidden="true" className="relative mt-2 block h-3.5">
      {days.map(({ day }, index) =>
        (last - index) % every === 0 ? (
          <span
            key={day}
            className="absolute -translate-x-1/2 whitespace-nowrap last:right-0 last:translate-x-0"
            style={index === last && last > 0 ? {} : { left: `${((index + 0.5) / days.length) * 100}%` }}
          >
            {formatPeriod(day)}
          </span>
        ) : null,
      )}
    </span>
  )
}

/** The numbers of the chart, newest first. */
function NumberTable({ name, names, days, table, onPick, formatPeriod = formatDay }: DayChartProps) {
  const { header, rows } = table ?? { header: 'Day', rows: days }
  return (
    <ChartTable
      name={name}
      header={[header, names.count, ...(names.failed ? [names.failed] : [])]}
      rows={() =>
        rows.toReversed().map(({ day, count, failed }) => ({
          key: day,
          title: onPick ? (
            <button
              type="button"
              className="text-stamp hover:underline pointer-coarse:min-h-11"
              onClick={() => onPick(day)}
            >
              {formatPeriod(day, true)}
            </button>
          ) : (
            formatPeriod(day)
          ),
          cells: [number.format(count), ...(names.failed ? [number.format(failed)] : [])],
        }))
      }
    />
  )
}

const sum = (days: DayCount[], name: 'count' | 'failed') => days.reduce((total, day) => total + day[name], 0)
