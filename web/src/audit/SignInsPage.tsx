import { countSignIns } from '@passport/contract/audit'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Suspense } from 'react'
import { query, toFailure } from '../app/api.ts'
import { TraceSearch } from '../directory/TraceSearch.tsx'
import { Button } from '../ui/Button.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { AuditHead } from './AuditHead.tsx'
import { AuditTabs } from './AuditTabs.tsx'
import { SignInFilters } from './SignInFilters.tsx'
import { SignInRows } from './SignInRows.tsx'
import {
  describeCounts,
  parseSignInSearch,
  type SignInSearch,
  toSearchTime,
  toSignInFilter,
  toStepFormat,
} from './sign-in-search.ts'
import { useAudit } from './use-audit.ts'

const Chart = lazyPart(async () => (await import('../ui/TimeChart.tsx')).TimeChart)

/** The sign-in log: attempts over time, with a search for the trace of one. Its filters are in the URL. */
export function SignInsPage() {
  const search = parseSignInSearch(useSearch({ strict: false }))
  const navigate = useNavigate()
  const show = (next: SignInSearch) => void navigate({ to: '.', search: next as never, resetScroll: false })
  const filter = toSignInFilter(search)
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone
  const { signIns, ...rest } = filter
  const counts = useQuery({
    ...query(countSignIns, { query: { ...rest, ...(signIns !== 'any' && { signIns }), zone } }),
    placeholderData: keepPreviousData,
  })
  const audit = useAudit(filter)
  return (
    <div>
      <AuditHead line={<p className="mt-1 text-ink2">The steps of a sign-in are kept for 30 days</p>} filter={filter} />
      <AuditTabs />
      <TraceSearch />
      <SignInFilters search={search} counts={counts.data} onShow={show} />
      <section aria-label="Sign-ins over time" className="mt-4 card px-[18px] py-3.5">
        <div className="min-h-[152px] max-sm:min-h-[168px] pointer-coarse:min-h-[186px]">
          {counts.error && !counts.data && (
            <ErrorCard failure={toFailure(counts.error, 'count sign-ins')} onRetry={() => void counts.refetch()} />
          )}
          {counts.data && (
            <Suspense fallback={null}>
              <Chart
                name="Sign-ins over time"
                label={describeCounts(counts.data)}
                buckets={counts.data.buckets}
                format={toStepFormat(counts.data.step)}
                height={84}
                onSelect={({ at }, last) =>
                  show({ ...search, from: toSearchTime(at), to: toSearchTime(findEnd(counts.data, last.at)) })
                }
              />
            </Suspense>
          )}
        </div>
      </section>
      <section
        aria-labelledby="sign-ins"
        className="mt-4 card [&_th:first-child]:rounded-tl-box [&_th:last-child]:rounded-tr-box"
      >
        <h2 id="sign-ins" className="sr-only">
          Sign-ins
        </h2>
        <SignInRows
          audit={audit}
          nameClient={(id) => counts.data?.clients.find(({ value }) => value === id)?.name ?? id}
          empty={<NoSignIns isFiltered={Object.keys(search).length > 0} onClear={() => show({})} />}
        />
      </section>
    </div>
  )
}

/** Returns the end of a step: the start of the next one, or the end of the period rounded up to a minute. */
function findEnd({ buckets, to }: { buckets: { at: string }[]; to: string }, at: string): string {
  const next = buckets[buckets.findIndex((bucket) => bucket.at === at) + 1]
  return next?.at ?? new Date(Math.ceil(Date.parse(to) / 60_000) * 60_000).toISOString()
}

function NoSignIns({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (!isFiltered) return <Empty kind="nothing yet" title="No sign-ins yet" />
  return (
    <Empty kind="no match" title="No sign-ins match">
      <Button className="mt-1" isSmall onClick={onClear}>
        Clear filters
      </Button>
    </Empty>
  )
}
