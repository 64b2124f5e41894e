import { type PointerEvent, useId, useState } from 'react'
import { findAxisEnd } from './axis-end.ts'
import { Button } from './Button.tsx'
import { Hatch, LegendItem } from './ChartParts.tsx'
import { ChartTable } from './ChartTable.tsx'

/** The numbers of a step of time. */
export interface TimeBucket {
  /** The start of the step. */
  at: string
  succeeded: number
  failed: number
}

interface TimeChartProps {
  /** The name of the table: “Sign-ins over time”. */
  name: string
  /** The conclusion as a sentence, for users who do not see the chart. */
  label: string
  /** Oldest first, without gaps. */
  buckets: TimeBucket[]
  /** Formats the start of a step. */
  format: (at: string) => string
  height: number
  /** Called with the first and the last step of a chosen range. */
  onSelect: (first: TimeBucket, last: TimeBucket) => void
}

/** The chosen steps, by their indexes; the second may be before the first while the pointer moves. */
type Range = readonly [number, number]

const minHeight = 1
const minHeightOfHatch = 4
const maxLabels = 5
const number = new Intl.NumberFormat('en')
const sum = (buckets: TimeBucket[], name: 'succeeded' | 'failed') =>
  buckets.reduce((total, bucket) => total + bucket[name], 0)

/**
 * Draws a bar for each step of time with its failures on top, hatched. A range is chosen by dragging over the bars, or
 * with two sliders by keyboard and on small screens.
 */
export function TimeChart(props: TimeChartProps) {
  const { buckets, height, onSelect } = props
  const [range, setRange] = useState<Range>()
  const [isChoosing, setChoosing] = useState(false)
  const max = findAxisEnd(Math.max(0, ...buckets.map(({ succeeded, failed }) => succeeded + failed)))
  const select = ([a, b]: Range) => {
    const [first, last] = [buckets[Math.min(a, b)], buckets[Math.max(a, b)]]
    setRange(undefined)
    setChoosing(false)
    if (first && last) onSelect(first, last)
  }
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <ul className="flex flex-wrap gap-x-5 gap-y-1 text-[12px] text-ink2">
          <LegendItem name="Succeeded" total={sum(buckets, 'succeeded')} />
          <LegendItem name="Failed" total={sum(buckets, 'failed')} isFailed />
        </ul>
        <Button
          isSmall
          variant="ghost"
          aria-expanded={isChoosing}
          onClick={() => {
            setChoosing(!isChoosing)
            setRange(isChoosing ? undefined : [0, buckets.length - 1])
          }}
        >
          Choose range
        </Button>
      </div>
      <div className="mt-1.5 grid grid-cols-[36px_minmax(0,1fr)] text-[11px] leading-[11px] text-ink3">
        <span aria-hidden="true" className="-my-[5px] flex flex-col justify-between">
          <span>{number.format(max)}</span>
          <span>0</span>
        </span>
        <Bars {...props} height={height} max={max} range={range} onRange={setRange} onChosen={select} />
        <span />
        <Axis {...props} />
      </div>
      {isChoosing && range && <Sliders {...props} range={range} onRange={setRange} onChosen={select} />}
      <BucketTable {...props} />
    </>
  )
}

interface BarsProps extends TimeChartProps {
  max: number
  range: Range | undefined
  onRange: (range: Range | undefined) => void
  onChosen: (range: Range) => void
}

function Bars({ label, buckets, format, height, max, range, onRange, onChosen }: BarsProps) {
  const hatchId = useId()
  const [start, setStart] = useState<number>()
  const step = 100 / Math.max(1, buckets.length)
  const toHeight = (part: number) => (part === 0 ? 0 : Math.max(minHeight, (part / max) * height))
  const findIndex = ({ clientX, currentTarget }: PointerEvent<SVGSVGElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    return Math.max(0, Math.min(buckets.length - 1, Math.floor(((clientX - left) / width) * buckets.length)))
  }
  const [from, to] = range ? [Math.min(...range), Math.max(...range)] : [0, -1]
  return (
    <svg
      role="img"
      aria-label={label}
      width="100%"
      height={height}
      className="block cursor-crosshair touch-pan-y overflow-visible select-none"
      onPointerDown={(event) => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        const index = findIndex(event)
        setStart(index)
        onRange([index, index])
      }}
      onPointerMove={(event) => start !== undefined && onRange([start, findIndex(event)])}
      onPointerUp={(event) => {
        if (start !== undefined) onChosen([start, findIndex(event)])
        setStart(undefined)
      }}
      onPointerCancel={() => {
        setStart(undefined)
        onRange(undefined)
      }}
    >
      <Hatch id={hatchId} />
      {[0, height].map((y) => (
        <line key={y} x1="0" x2="100%" y1={y} y2={y} stroke="var(--hair)" />
      ))}
      {to >= from && (
        <rect
          x={`${from * step}%`}
          width={`${(to - from + 1) * step}%`}
          height={height}
          fill="var(--stamp)"
          opacity="0.14"
          stroke="var(--stamp)"
        />
      )}
      {buckets.map(({ at, succeeded, failed }, index) => {
        const [plain, bad] = [toHeight(succeeded), toHeight(failed)]
        const isHatched = bad >= minHeightOfHatch
        const gap = failed === 0 || plain === 0 ? 0 : isHatched ? 2 : 1
        const bar = { x: `${index * step + step * 0.16}%`, width: `${step * 0.68}%` }
        return (
          <g key={at}>
            <title>{`${format(at)}: ${number.format(succeeded)} succeeded, ${number.format(failed)} failed`}</title>
            <rect x={`${index * step}%`} width={`${step}%`} height={height} fill="transparent" />
            <rect {...bar} y={height - plain + gap} height={Math.max(0, plain - gap)} fill="var(--data)" />
            <rect
              {...bar}
              y={height - plain - bad}
              height={bad}
              fill={isHatched ? `url(#${hatchId})` : 'var(--data-bad)'}
            />
          </g>
        )
      })}
    </svg>
  )
}

/** A few times below their bars. The last step always has one, at the right edge. */
function Axis({ buckets, format }: Pick<TimeChartProps, 'buckets' | 'format'>) {
  const every = Math.max(1, Math.ceil(buckets.length / maxLabels))
  const last = buckets.length - 1
  return (
    <span aria-hidden="true" className="relative mt-2 block h-3.5">
      {buckets.map(({ at }, index) =>
        (last - index) % every === 0 ? (
          <span
            key={at}
            className="absolute -translate-x-1/2 whitespace-nowrap last:right-0 last:translate-x-0"
            style={index === last && last > 0 ? {} : { left: `${((index + 0.5) / buckets.length) * 100}%` }}
          >
            {format(at)}
          </span>
        ) : null,
      )}
    </span>
  )
}

interface SlidersProps extends TimeChartProps {
  range: Range
  onRange: (range: Range) => void
  onChosen: (range: Range) => void
}

function Sliders({ buckets, format, range: [from, to], onRange, onChosen }: SlidersProps) {
  const last = buckets.length - 1
  const slider = (label: string, value: number, change: (index: number) => Range) => (
    <label className="grid min-w-0 flex-1 basis-48 gap-1 text-[13px]">
      <span className="flex justify-between gap-2">
        <span className="text-ink2">{label}</span> {format(buckets[value]?.at ?? '')}
      </span>
      <input
        type="range"
        className="w-full accent-stamp pointer-coarse:h-11"
        min={0}
        max={last}
        value={value}
        aria-valuetext={format(buckets[value]?.at ?? '')}
        onChange={({ target }) => onRange(change(Number(target.value)))}
      />
    </label>
  )
  return (
    <form
      className="mt-2 flex flex-wrap items-end gap-x-5 gap-y-2 border-t border-hair pt-3"
      onSubmit={(event) => {
        event.preventDefault()
        onChosen([from, to])
      }}
    >
      {slider('From', from, (index) => [index, Math.max(index, to)])}
      {slider('To', to, (index) => [Math.min(index, from), index])}
      <Button type="submit" variant="primary" isSmall>
        Show range
      </Button>
    </form>
  )
}

/** The numbers of the chart, newest first. */
const BucketTable = ({ name, buckets, format, onSelect }: TimeChartProps) => (
  <ChartTable
    name={name}
    header={['Time', 'Succeeded', 'Failed']}
    rows={() =>
      buckets
        .filter(({ succeeded, failed }) => succeeded + failed > 0)
        .toReversed()
        .map((bucket) => ({
          key: bucket.at,
          title: (
            <button
              type="button"
              className="text-stamp hover:underline pointer-coarse:min-h-11"
              onClick={() => onSelect(bucket, bucket)}
            >
              {format(bucket.at)}
            </button>
          ),
          cells: [number.format(bucket.succeeded), number.format(bucket.failed)],
        }))
    }
  />
)
