import { listUsage, type UsageHour } from '@passport/contract/entitlement-usage'
import type { Entitlement } from '@passport/contract/entitlements'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { call, toFailure } from '../app/api.ts'
import { parseNextCursor } from '../directory/list-cursor.ts'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { formatHour } from './days.ts'
import { formatValue } from './words.ts'

/** The hours that are loaded at once. */
const pageSize = 25

/** The reported usage by hour, newest first; nothing before the first report. */
export function UsageHours({ entitlement }: { entitlement: Entitlement }) {
  const params = { entitlementId: entitlement.id }
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: [listUsage.path, { params, query: { limit: pageSize } }],
    queryFn: ({ pageParam, signal }) =>
      call(listUsage, { params, query: { limit: pageSize, after: pageParam } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => (next === null ? undefined : parseNextCursor(next)),
  })
  const hours = data?.pages.flatMap(({ items }) => items)
  if (hours?.length === 0) return null
  return (
    <Card title="Reported by hour">
      {error ? (
        <ErrorCard failure={toFailure(error, 'load the usage')} onRetry={() => void refetch()} />
      ) : hours ? (
        <ul className="pb-1">
          {hours.map((hour) => (
            <Hour key={hour.id} hour={hour} unit={entitlement.unit} />
          ))}
        </ul>
      ) : (
        <Skeleton label="Loading hours" rows={4} />
      )}
      {hasNextPage && (
        <div className="border-t border-hair px-4 py-3 sm:px-[18px]">
          <Button isSmall isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show earlier hours
          </Button>
        </div>
      )}
    </Card>
  )
}

function Hour({ hour: usage, unit }: { hour: UsageHour; unit: string | null }) {
  const { orgId, orgName, hour, quantity, productName, subscriptionId, closedAt } = usage
  return (
    <li className="flex min-h-[46px] items-center gap-3 border-t border-hair px-4 py-2 first:border-0 sm:px-[18px]">
      <ObjectIcon kind="org" />
      <div className="min-w-0 flex-1 leading-snug">
        <Link to="/admin/orgs/$orgId" params={{ orgId }} className="block truncate font-[580] hover:underline">
          {orgName}
        </Link>
        <p className="flex flex-wrap gap-x-3 text-[13px] text-ink3">
          <time dateTime={hour}>{formatHour(hour)}</time>
          {closedAt === null && <span>Still open</span>}
        </p>
      </div>
      <span className="max-sm:hidden">
        {subscriptionId === null ? (
          <Badge>Unbilled</Badge>
        ) : (
          <span className="text-[13px] text-ink2">{productName ?? 'AWS'}</span>
        )}
      </span>
      <span className="min-w-20 text-right tabular-nums">{formatValue(quantity, unit)}</span>
    </li>
  )
}
