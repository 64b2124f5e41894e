import { listAwsEvents } from '@passport/contract/aws-events'
import { getAwsSimulator } from '@passport/contract/aws-simulator'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { query } from '../app/api.ts'
import { TabCount, Tabs } from '../ui/Tabs.tsx'

const views = [
  { view: undefined, label: 'Subscriptions' },
  { view: 'events', label: 'Unmatched events' },
  { view: 'aws', label: 'Compare with AWS' },
  { view: 'simulator', label: 'Simulator' },
] as const
const simulator = query(getAwsSimulator, {})
const unmatched = query(listAwsEvents, { query: { limit: 1 } })

/** The views of the page of subscriptions; the events have the number of those that need attention. */
export function SubscriptionViews() {
  const { view: current } = useSearch({ strict: false }) as { view?: unknown }
  const { data: isSimulated } = useQuery({
    ...simulator,
    select: ({ isAvailable }) => isAvailable,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { data } = useQuery({ ...unmatched, staleTime: 60_000 })
  return (
    <div className="[&>nav]:mt-3 [&>nav]:mb-0">
      <Tabs label="Views">
        {views
          .filter(({ view }) => view !== 'simulator' || isSimulated)
          .map(({ view, label }) => (
            <Link
              key={label}
              to="/admin/awssubscriptions"
              search={{ view } as never}
              // The router compares paths only.
              activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
              aria-current={current === view ? 'page' : undefined}
            >
              {label}
              {view === 'events' && data && data.total > 0 && <TabCount>{data.total}</TabCount>}
            </Link>
          ))}
      </Tabs>
    </div>
  )
}
