import { type AuditDay, countAuditEntries } from '@passport/contract/audit'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { query } from '../app/api.ts'
import { lazyPart } from '../ui/lazy-part.tsx'
import { type AuditSearch, toFilter } from './audit-search.ts'
import { describeDays, fillDays, findPeriod } from './days.ts'

const Chart = lazyPart(async () => (await import('../ui/DayChart.tsx')).DayChart)

interface EventsPerDayProps {
  search: AuditSearch
  /** Shows only the events of a day. */
  onPick: (day: string) => void
}

/** The chart of matching events per day, above their list. Its space is reserved while it loads. */
export function EventsPerDay({ search, onPick }: EventsPerDayProps) {
  const period = findPeriod(search)
  const filter = toFilter({ ...search, from: period.first, to: period.last })
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone
  const { data, error } = useQuery({
    ...query(countAuditEntries, { query: { ...filter, zone } }),
    placeholderData: keepPreviousData,
  })
  const placeholder = <div aria-busy="true" className="h-36" />
  return (
    <section aria-label="Events per day" className="mt-4 card px-[18px] py-3.5">
      <div className="min-h-[150px] pointer-coarse:min-h-[160px]">
        {error && <p className="text-ink2">The number of events per day couldn't be loaded.</p>}
        {data && (
          <Suspense fallback={placeholder}>
            <EventChart days={fillDays(period, data)} onPick={onPick} />
          </Suspense>
        )}
        {!data && !error && placeholder}
      </div>
    </section>
  )
}

function EventChart({ days, onPick }: { days: AuditDay[]; onPick: (day: string) => void }) {
  const counts = days.map(({ day, events, failed }) => ({ day, count: events, failed }))
  return (
    <Chart
      name="Events per day"
      label={describeDays(days)}
      names={{ count: 'Events', failed: 'Failed sign-ins' }}
      days={counts}
      isInclusive
      height={72}
      table={{ header: 'Day', rows: counts.filter(({ count }) => count > 0) }}
      onPick={onPick}
    />
  )
}
