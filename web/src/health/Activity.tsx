import { type Activity as ActivityData, getActivity } from '@passport/contract/health'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { query, toFailure } from '../app/api.ts'
import { nameReason } from '../directory/failure-reasons.ts'
import { Card } from '../ui/Card.tsx'
import { DayChart } from '../ui/DayChart.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { formatDay } from '../ui/format-day.ts'
import { RankedBars } from '../ui/RankedBars.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { type Period, toPeriods } from './periods.ts'
import { formatMs } from './words.ts'

type Days = '1' | '30'

const number = new Intl.NumberFormat('en')
const hourFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const longHourFormat = new Intl.DateTimeFormat('en-GB', { weekday: 'short', hour: '2-digit', minute: '2-digit' })
const refreshMs = 60_000
const maxCodes = 8

/** What the servers did, by hour or by day; the period is in the URL. `beside` is below the first chart. */
export function Activity({ isPaused, beside }: { isPaused: boolean; beside: ReactNode }) {
  const search: Record<string, unknown> = useSearch({ strict: false })
  const navigate = useNavigate()
  const days: Days = search['days'] === '30' ? '30' : '1'
  const showDays = (next: Days) =>
    void navigate({ to: '.', search: (next === '1' ? {} : { days: next }) as never, resetScroll: false })
  const { data, error, refetch } = useQuery({
    ...query(getActivity, { query: { days } }),
    refetchInterval: isPaused ? false : refreshMs,
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <div className="mt-2 flex flex-wrap items-center justify-between gap-3">
        <h2 className="text-[17px]">Activity</h2>
        <Segmented
          label="Period"
          value={days}
          options={[
            { value: '1', label: '24 hours' },
            { value: '30', label: '30 days' },
          ]}
          onChange={showDays}
        />
      </div>
      {error && !data && <ErrorCard failure={toFailure(error, 'load the activity')} onRetry={() => void refetch()} />}
      {data && <Charts activity={data} beside={beside} />}
      {!data && !error && <div aria-busy="true" className="h-150" />}
      {error && !data && beside}
    </>
  )
}

function Charts({ activity, beside }: { activity: ActivityData; beside: ReactNode }) {
  const { hours, failures, errors, routes } = activity
  const by = hours.length > 24 ? 'day' : 'hour'
  const periods = toPeriods(hours, by)
  const time: Time = { noun: by, span: by === 'hour' ? '24 hours' : '30 days' }
  return (
    <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
      <div className="grid grid-cols-1 gap-4">
        <SignIns periods={periods} {...time} />
        {beside}
      </div>
      <div className="grid grid-cols-1 gap-4">
        <Ranking title="Failed sign-ins by reason" emptyText={failures.length === 0 && 'No failed sign-ins'}>
          <RankedBars
            rows={failures.slice(0, maxCodes).map(({ reason, count }) => ({
              key: reason,
              name: nameReason(reason),
              amount: count,
              value: number.format(count),
              isBad: true,
            }))}
          />
        </Ranking>
      </div>
      <Single title="Active sessions" periods={periods} read={({ sessions }) => sessions ?? 0} isPeak {...time} />
      <Single title="Issued tokens" periods={periods} read={({ tokens }) => tokens} {...time} />
      <Ranking title="Errors by code" emptyText={errors.length === 0 && 'No errors'}>
        <RankedBars
          rows={errors.slice(0, maxCodes).map(({ code, status, count }) => ({
            key: `${code} ${status}`,
            name: code === String(status) ? `Status ${status}` : `${status} ${code}`,
            amount: count,
            value: number.format(count),
            isBad: status >= 500,
          }))}
        />
      </Ranking>
      <Ranking
        title="Slowest routes"
        description="95 % of the requests took at most this long"
        emptyText={routes.length === 0 && 'No route has 5 requests yet'}
      >
        <RankedBars
          rows={routes.slice(0, maxCodes).map(({ route, count, p95Ms }) => ({
            key: route,
            name: route,
            title: `${route}, ${number.format(count)} requests`,
            amount: p95Ms,
            value: p95Ms >= 2500 ? 'over 2.5 s' : formatMs(p95Ms),
          }))}
        />
      </Ranking>
    </div>
  )
}

interface Time {
  noun: 'hour' | 'day'
  span: string
}

const formatPeriodBy = ({ noun }: Time) =>
  noun === 'day'
    ? formatDay
    : (instant: string, isLong = false) => (isLong ? longHourFormat : hourFormat).format(Date.parse(instant))

function SignIns({ periods, ...time }: { periods: Period[] } & Time) {
  const sum = (key: 'succeeded' | 'failed') => periods.reduce((total, { signIns }) => total + signIns[key], 0)
  const [succeeded, failed] = [number.format(sum('succeeded')), number.format(sum('failed'))]
  return (
    <Card title={`Sign-ins per ${time.noun}`}>
      <div className="px-4 pb-3 sm:px-[18px]">
        <DayChart
          name={`Sign-ins per ${time.noun}`}
          label={`${succeeded} sign-ins succeeded and ${failed} failed in ${time.span}`}
          names={{ count: 'Succeeded', failed: 'Failed' }}
          days={periods.map(({ key, signIns }) => ({ day: key, count: signIns.succeeded, failed: signIns.failed }))}
          height={140}
          formatPeriod={formatPeriodBy(time)}
          {...toTable(periods, time, ({ signIns }) => ({ count: signIns.succeeded, failed: signIns.failed }))}
        />
      </div>
    </Card>
  )
}

/** Returns the rows of the table of a chart, with the word for its periods. */
const toTable = (periods: Period[], { noun }: Time, read: (period: Period) => { count: number; failed: number }) => ({
  table: {
    header: noun === 'day' ? 'Day, in UTC' : 'Hour from',
    rows: periods.map((period) => ({ day: period.key, ...read(period) })),
  },
})

interface SingleProps extends Time {
  title: string
  periods: Period[]
  read: (period: Period) => number
  /** The largest number says more than the sum. */
  isPeak?: boolean
}

/** A chart of one number, with its sum or its peak. */
function Single({ title, periods, read, isPeak = false, ...time }: SingleProps) {
  const values = periods.map(read)
  const total = isPeak ? Math.max(...values) : values.reduce((sum, value) => sum + value, 0)
  const text = `${isPeak ? 'At most ' : ''}${number.format(total)} in ${time.span}`
  const toCount = (period: Period) => ({ count: read(period), failed: 0 })
  return (
    <Card title={title} action={<span className="text-[13px] text-ink2">{text}</span>}>
      <div className="px-4 pb-3 sm:px-[18px]">
        <DayChart
          name={`${title} per ${time.noun}`}
          label={`${title}: ${text}`}
          names={{ count: title }}
          days={periods.map((period) => ({ day: period.key, ...toCount(period) }))}
          height={72}
          formatPeriod={formatPeriodBy(time)}
          {...toTable(periods, time, toCount)}
        />
      </div>
    </Card>
  )
}

interface RankingProps {
  title: string
  description?: string
  /** The text without any rows; false with some. */
  emptyText: string | false
  children: ReactNode
}

function Ranking({ title, description, emptyText, children }: RankingProps) {
  return (
    <Card title={title} description={description}>
      <div className="px-4 pb-3 sm:px-[18px]">
        {emptyText ? <p className="pb-1 text-ink2">{emptyText}</p> : children}
      </div>
    </Card>
  )
}
