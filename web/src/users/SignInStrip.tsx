import type { UserSignIns } from '@passport/contract/users'
import { useId } from 'react'
import { Card } from '../ui/Card.tsx'
import { formatDay, groupByWeek, summarize } from './sign-in-days.ts'

type Day = UserSignIns['days'][number]

const height = 56
const step = 10
/** A day without a sign-in is a line of this height. */
const emptyHeight = 2
/** Few sign-ins a day do not fill the height. */
const minScale = 4

/** The sign-ins of each day as bars, with failures stacked on top. */
export function SignInStrip({ days }: { days: Day[] }) {
  const { succeeded, failed, text } = summarize(days)
  const [first] = days
  return (
    <Card
      title="Last 90 days"
      action={
        <p className="flex flex-wrap gap-x-4 text-[12px] text-ink2">
          <Total className="bg-data" count={succeeded} one="sign-in" many="sign-ins" />
          <Total className="bg-data-bad" count={failed} one="failed" many="failed" />
        </p>
      }
    >
      <div className="px-4 pb-4 sm:px-[18px]">
        <Bars days={days} text={text} />
        <p className="mt-1.5 flex justify-between text-[12px] text-ink3" aria-hidden="true">
          <span>{first && formatDay(first.day)}</span>
          <span>Today</span>
        </p>
        <details className="mt-2">
          <summary className="w-fit cursor-pointer text-[13px] text-ink2">Show as table</summary>
          <Weeks days={days} />
        </details>
      </div>
    </Card>
  )
}

function Total({ className, count, one, many }: { className: string; count: number; one: string; many: string }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <i className={`size-2.5 rounded-[3px] ${className}`} />
      {count.toLocaleString('en')} {count === 1 ? one : many}
    </span>
  )
}

function Bars({ days, text }: { days: Day[]; text: string }) {
  const hatch = useId()
  const scale = Math.max(minScale, ...days.map(({ succeeded, failed }) => succeeded + failed))
  const toHeight = (count: number) => (count === 0 ? 0 : Math.max(4, (count / scale) * (height - 4)))
  return (
    <svg
      viewBox={`0 0 ${days.length * step} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={text}
      className="block w-full"
      style={{ height }}
    >
      <pattern id={hatch} width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="4" height="4" className="fill-data-bad" />
        <rect width="1.4" height="4" className="fill-card" />
      </pattern>
      {days.map(({ day, succeeded, failed }, index) => {
        const [done, lost] = [toHeight(succeeded), toHeight(failed)]
        const shared = { x: index * step + 1.5, width: step - 3, rx: 1.5 }
        return (
          <g key={day}>
            <title>{`${formatDay(day)}: ${succeeded} succeeded, ${failed} failed`}</title>
            {/* The pointer finds a day above its bar too. */}
            <rect x={index * step} width={step} height={height} fillOpacity={0} />
            {done + lost === 0 ? (
              <rect {...shared} y={height - emptyHeight} height={emptyHeight} className="fill-line" />
            ) : (
              <rect {...shared} y={height - done} height={done} className="fill-data" />
            )}
            {lost > 0 && (
              <rect
                {...shared}
                y={height - done - lost + (done > 0 ? 0 : 2)}
                height={lost - 2}
                fill={`url(#${hatch})`}
              />
            )}
          </g>
        )
      })}
    </svg>
  )
}

function Weeks({ days }: { days: Day[] }) {
  return (
    <table className="mt-2 w-full text-[13px]">
      <caption className="sr-only">Sign-ins by week, in UTC</caption>
      <thead className="text-left text-[12px] text-ink3">
        <tr className="[&>th]:py-1.5 [&>th]:font-normal">
          <th scope="col">Week from</th>
          <th scope="col" className="text-right">
            Succeeded
          </th>
          <th scope="col" className="text-right">
            Failed
          </th>
        </tr>
      </thead>
      <tbody>
        {groupByWeek(days).map(({ from, succeeded, failed }) => (
          <tr key={from} className="border-t border-hair [&>*]:py-1.5">
            <th scope="row" className="text-left font-normal">
              {formatDay(from)}
            </th>
            <td className="text-right">{succeeded.toLocaleString('en')}</td>
            <td className="text-right">{failed.toLocaleString('en')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
