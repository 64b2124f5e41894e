import { countAuditEntries } from '@passport/contract/audit'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { query } from '../app/api.ts'
import { lazyPart } from '../ui/lazy-part.tsx'
import { type AuditSearch, toFilter } from './audit-search.ts'
import { fillDays, findPeriod } from './days.ts'

const Chart = lazyPart(async () => (await import('./EventChart.tsx')).EventChart)

interface EventsPerDayProps {
  search: AuditSearch
  onPick: (day: string) => void
}

/** The number of matching events per day, above their list. Its space is reserved while it loads. */
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
      <div className="min-h-36 pointer-coarse:min-h-40 max-sm:min-h-48">
        {error && <p className="text-ink2">The number of events per day couldn't be loaded.</p>}
        {data && (
          <Suspense fallback={placeholder}>
            <Chart days={fillDays(period, data)} onPick={onPick} />
          </Suspense>
        )}
        {!data && !error && placeholder}
      </div>
    </section>
  )
}
