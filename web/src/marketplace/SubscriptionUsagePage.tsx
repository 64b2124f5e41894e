import type { AwsSubscription } from '@passport/contract/aws-subscriptions'
import {
  type AwsUsageSummary,
  type DimensionUsage,
  getAwsUsageSummary,
  type Refusal,
  retryAwsUsage,
} from '@passport/contract/aws-usage'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { RotateCw } from 'lucide-react'
import { call, query } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { capitalize } from '../ui/capitalize.ts'
import { DayChart } from '../ui/DayChart.tsx'
import { Empty } from '../ui/Empty.tsx'
import { formatDay } from '../ui/format-day.ts'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { Status } from '../ui/Status.tsx'
import { SentHours } from './SentHours.tsx'
import { SubscriptionFrame } from './SubscriptionFrame.tsx'
import { explainRefusal } from './usage-words.ts'
import { isMetered } from './words.ts'

type Days = '1' | '7' | '30'
const periods = [
  { value: '1', label: '24 hours' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
] as const
const refreshMs = 30_000
const hourFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })

/** What a subscription used, and what AWS bills of it. */
export const SubscriptionUsagePage = () => (
  <SubscriptionFrame>
    {(subscription) =>
      isMetered(subscription.product.pricingModel) ? (
        <Usage subscription={subscription} />
      ) : (
        <Card title="Usage">
          <Empty kind="nothing yet" title="Nothing is metered">
            AWS bills this product without its use.
          </Empty>
        </Card>
      )
    }
  </SubscriptionFrame>
)

function Usage({ subscription }: { subscription: AwsSubscription }) {
  const search: Record<string, unknown> = useSearch({ strict: false })
  const navigate = useNavigate()
  const days: Days = periods.find(({ value }) => value === search['days'])?.value ?? '1'
  const params = { subscriptionId: subscription.id }
  const summary = useQuery({
    ...query(getAwsUsageSummary, { params, query: { days } }),
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  })
  const showDays = (next: Days) => {
    const { days: _, ...others } = search
    void navigate({ to: '.', search: { ...others, ...(next !== '1' && { days: next }) } as never, resetScroll: false })
  }
  return (
    <div className="cols">
      <div className="grid grid-cols-1 content-start gap-4">
        <div className="flex flex-wrap items-center justify-between gap-3">
          <h2 className="text-[17px]">Usage</h2>
          <Segmented label="Period" value={days} options={periods} onChange={showDays} />
        </div>
        <Loaded query={summary} label="Loading usage" rows={6}>
          {(data) => (
            <>
              {data.refusals.length > 0 && <Refusals subscriptionId={subscription.id} refusals={data.refusals} />}
              {data.dimensions.map((dimension) => (
                <Dimension key={dimension.dimension} usage={dimension} step={data.step} />
              ))}
            </>
          )}
        </Loaded>
        <SentHours subscriptionId={subscription.id} dimensions={summary.data?.dimensions ?? []} />
      </div>
      <aside className="grid grid-cols-1 content-start gap-4">
        <Transfer summary={summary.data} />
      </aside>
    </div>
  )
}

/** Why AWS refused hours, and what helps. */
function Refusals({ subscriptionId, refusals }: { subscriptionId: string; refusals: Refusal[] }) {
  const retry = useMutation({
    mutationFn: () => call(retryAwsUsage, { params: { subscriptionId } }),
    onSuccess: ({ hours }) => reportSuccess(hours === 1 ? '1 hour is sent again' : `${hours} hours are sent again`),
    onError: (error) => reportFailure('send the usage again', error),
    onSettled: () => void queryClient.invalidateQueries(),
  })
  const canRetry = refusals.some(({ retryable }) => retryable > 0)
  return (
    <Card
      title="Refused by AWS"
      action={
        canRetry && (
          <Button isSmall isBusy={retry.isPending} onClick={() => retry.mutate()}>
            <RotateCw size={15} aria-hidden="true" />
            Send again
          </Button>
        )
      }
    >
      <ul className="pb-1">
        {refusals.map((refusal) => {
          const { reason, remedy } = explainRefusal(refusal)
          return (
            <li
              key={`${refusal.status} ${refusal.error}`}
              className="flex gap-4 border-t border-hair px-4 py-3 first:border-0 sm:px-[18px]"
            >
              <div className="min-w-0 flex-1">
                <p className="font-[580]">{reason}</p>
                <p className="text-[13px] text-ink2">{remedy}</p>
              </div>
              <span className="shrink-0 text-bad tabular-nums">
                {refusal.hours === 1 ? '1 hour' : `${refusal.hours} hours`}
              </span>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

const format = (quantity: number, unit: string | null) =>
  unit ? `${quantity.toLocaleString('en')} ${unit}` : quantity.toLocaleString('en')

/** The totals and the chart of a dimension. */
function Dimension({ usage, step }: { usage: DimensionUsage; step: AwsUsageSummary['step'] }) {
  const { dimension, entitlement, unit, used, billed, included, waiting, refused, overMetered, term, buckets } = usage
  const name = entitlement?.name ?? capitalize(dimension.replace(/[_.-]+/g, ' '))
  const formatPeriod = (at: string) => (step === 'hour' ? hourFormat.format(new Date(at)) : formatDay(at.slice(0, 10)))
  const facts: [string, number, string?][] = [
    ['Used', used],
    ['Billed', billed],
    ...(term || included > 0 ? ([['Included', included]] as [string, number][]) : []),
    ['Waiting', waiting],
    ...(refused > 0 ? ([['Refused', refused, 'text-bad']] as [string, number, string][]) : []),
  ]
  return (
    <Card title={name} description={<code className="font-mono text-[12.5px]">{dimension}</code>}>
      <div className="grid grid-cols-1 gap-4 px-4 pb-4 sm:px-[18px]">
        <dl className="flex flex-wrap gap-x-8 gap-y-3">
          {facts.map(([label, value, tone = '']) => (
            <div key={label}>
              <dt className="text-[13px] text-ink3">{label}</dt>
              <dd className={`text-[22px] leading-tight font-[620] tabular-nums ${tone}`}>
                {value.toLocaleString('en')}
              </dd>
            </div>
          ))}
        </dl>
        {term && <Term term={term} unit={unit} />}
        {overMetered > 0 && (
          <p className="text-warn">
            {format(overMetered, unit)} too much was sent before AWS reported that more was bought. Refund it at AWS.
          </p>
        )}
        {used > 0 ? (
          <div>
            <DayChart
              name={`${name} per ${step}`}
              label={`${name}: ${format(used, unit)} used, ${format(billed, unit)} billed.`}
              names={refused > 0 ? { count: 'Used', failed: 'Refused' } : { count: 'Used' }}
              days={buckets.map(({ at, used, refused }) => ({ day: at, count: used, failed: refused }))}
              isInclusive
              height={140}
              formatPeriod={formatPeriod}
              table={{
                header: capitalize(step),
                rows: buckets
                  .filter((bucket) => bucket.used > 0)
                  .map(({ at, used, refused }) => ({ day: at, count: used, failed: refused })),
              }}
            />
          </div>
        ) : (
          <p className="text-ink2">No usage was reported in this time.</p>
        )}
      </div>
    </Card>
  )
}

/** What is left of the quantity that the buyer has paid for in advance. */
function Term({ term, unit }: { term: NonNullable<DimensionUsage['term']>; unit: string | null }) {
  const { quantity, used, startsAt, endsAt } = term
  const share = quantity === 0 ? 1 : Math.min(1, used / quantity)
  const excess = Math.max(0, used - quantity)
  return (
    <div>
      <div className="flex flex-wrap justify-between gap-x-4 text-[13px] text-ink2">
        <span>
          {format(used, unit)} of {format(quantity, unit)} in this term
          {excess > 0 && <>; AWS bills {format(excess, unit)}</>}
        </span>
        <span>
          since {formatDay(startsAt.slice(0, 10), true)}
          {endsAt && endsAt < '9000' && ` until ${formatDay(endsAt.slice(0, 10), true)}`}
        </span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: the native bar cannot have the colours of charts */}
      <div
        role="meter"
        aria-label="Used in this term"
        aria-valuenow={used}
        aria-valuemin={0}
        aria-valuemax={Math.max(used, quantity)}
        className="mt-1.5 h-2 overflow-hidden rounded-full bg-well shadow-[inset_0_0_0_1px_var(--line)]"
      >
        <div
          className={`h-full rounded-full ${excess > 0 ? 'bg-warn' : 'bg-data'}`}
          style={{ width: `${share * 100}%` }}
        />
      </div>
    </div>
  )
}

/** How far the usage is on its way to AWS. */
function Transfer({ summary }: { summary: AwsUsageSummary | undefined }) {
  const waiting = summary?.nextAttemptAt ?? null
  const refused = summary?.refusals.reduce((sum, { hours }) => sum + hours, 0) ?? 0
  return (
    <Card title="Transfer to AWS">
      <div className="grid gap-2 px-4 pt-1 pb-4 sm:px-[18px]">
        {summary &&
          (waiting ? (
            <Status tone="waiting">Hours wait to be sent</Status>
          ) : refused > 0 ? (
            <Status tone="bad">AWS refused {refused === 1 ? '1 hour' : `${refused} hours`}</Status>
          ) : (
            <Status tone="ok">Up to date</Status>
          ))}
        {waiting && (
          <p className="text-[13px] text-ink2">
            Next attempt <RelativeTime at={waiting} inSentence />.
          </p>
        )}
        {summary?.dimensions.map(({ dimension, unit, open }) => (
          <p key={dimension} className="text-[13px] text-ink2">
            {open > 0 ? `${format(open, unit)} in hours that are still open.` : 'Nothing in the open hour.'}
          </p>
        ))}
        <p className="text-[13px] text-ink3">
          An hour closes 15 minutes after its end, and is sent within a minute. What was sent never changes.
        </p>
        <a href="/docs/aws-marketplace#usage" className="link text-[13px]">
          How usage is billed
        </a>
      </div>
    </Card>
  )
}
