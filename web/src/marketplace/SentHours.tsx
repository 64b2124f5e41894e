import { type AwsUsage, type DimensionUsage, listAwsSubscriptionUsage, usageStates } from '@passport/contract/aws-usage'
import { useInfiniteQuery } from '@tanstack/react-query'
import { call, toFailure } from '../app/api.ts'
import { CardText } from '../directory/CardRows.tsx'
import { parseNextCursor } from '../directory/list-cursor.ts'
import { useListState } from '../directory/list-state.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { Status } from '../ui/Status.tsx'
import { explainRefusal, explainWait, stateOptions, usageStatusWords } from './usage-words.ts'

/** The hours that are loaded at once. */
const pageSize = 24
const options = [{ value: 'all', label: 'All' }, ...stateOptions] as const
const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const clockFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })

interface SentHoursProps {
  subscriptionId: string
  dimensions: DimensionUsage[]
}

/** The closed hours, newest first; the state is in the URL. */
export function SentHours({ subscriptionId, dimensions }: SentHoursProps) {
  const { filters, filter } = useListState({ filters: { state: usageStates }, sorts: [] })
  const { state } = filters
  const params = { subscriptionId }
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: [listAwsSubscriptionUsage.path, { params, state }],
    queryFn: ({ pageParam, signal }) =>
      call(
        listAwsSubscriptionUsage,
        { params, query: { limit: pageSize, after: pageParam, ...(state && { state }) } },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => (next === null ? undefined : parseNextCursor(next)),
  })
  const hours = data?.pages.flatMap(({ items }) => items)
  const unitOf = (key: string) => dimensions.find(({ dimension }) => dimension === key)?.unit ?? null
  return (
    <Card
      title="Hours"
      action={
        <Segmented
          label="State"
          value={state ?? 'all'}
          options={options}
          onChange={(value) => filter('state', value === 'all' ? undefined : value)}
        />
      }
    >
      {error ? (
        <ErrorCard failure={toFailure(error, 'load the hours')} onRetry={() => void refetch()} />
      ) : !hours ? (
        <Skeleton label="Loading hours" rows={4} />
      ) : hours.length === 0 ? (
        <CardText>{state ? 'No hours in this state.' : 'Nothing was reported in a closed hour yet.'}</CardText>
      ) : (
        <ul className="pb-1">
          {hours.map((hour) => (
            <Hour
              key={`${hour.hour} ${hour.dimension}`}
              usage={hour}
              unit={unitOf(hour.dimension)}
              hasDimension={dimensions.length > 1}
            />
          ))}
        </ul>
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

function Hour({ usage, unit, hasDimension }: { usage: AwsUsage; unit: string | null; hasDimension: boolean }) {
  const { hour, dimension, used, quantity, status, error, nextAttemptAt, overMetered } = usage
  const { label, tone } = usageStatusWords[status]
  const start = new Date(hour)
  const isRefused = tone === 'bad'
  const reason = isRefused ? explainRefusal({ error }).reason : explainWait(usage)
  return (
    <li className="flex min-h-[46px] items-center gap-3 border-t border-hair px-4 py-2 first:border-0 sm:px-[18px]">
      <div className="min-w-0 flex-1 leading-snug">
        <p className="font-[580]">
          <time dateTime={hour}>
            {dayFormat.format(start)}, {clockFormat.format(start)}–{clockFormat.format(start.getTime() + 3_600_000)}
          </time>
        </p>
        <p className={`flex flex-wrap gap-x-3 text-[13px] ${isRefused ? 'text-bad' : 'text-ink3'}`}>
          {hasDimension && <code className="font-mono text-[12.5px]">{dimension}</code>}
          {reason && <span>{reason}</span>}
          {reason && nextAttemptAt && (
            <span>
              Next attempt <RelativeTime at={nextAttemptAt} inSentence />
            </span>
          )}
          {status !== 'included' && quantity < used && <span>{(used - quantity).toLocaleString('en')} included</span>}
          {overMetered > 0 && <span className="text-warn">{overMetered.toLocaleString('en')} too much</span>}
        </p>
      </div>
      <Status tone={tone}>{label}</Status>
      <span className="min-w-20 text-right tabular-nums">
        {(status === 'included' ? used : quantity).toLocaleString('en')} {unit}
      </span>
    </li>
  )
}
